# Fails if another call makes one of the files OUTPUTS of something else than CONTENT: sources, architectures and options.
function(attnc_claim_kernels OUTPUTS CONTENT)
  foreach(output ${OUTPUTS})
    get_property(claimed GLOBAL PROPERTY "attnc kernels ${output}")
    if(claimed AND NOT claimed STREQUAL CONTENT)
      message(FATAL_ERROR "attnc_add_kernels: another call makes ${output} of another source or with other OPTIONS; expected a FOLDER of its own")
    endif()
    set_property(GLOBAL PROPERTY "attnc kernels ${output}" "${CONTENT}")
  endforeach()
endfunction()

# attnc_add_kernels(TARGET SOURCES a.attn... [ARCH host sm_80...] [PACKAGE name | LINK] [OPTIONS words...] [FOLDER folder])
# has attnc compile programs whenever TARGET is built and they have changed: for the host, which is the default, to NAME.so, for
# a GPU to NAME.ARCH.ptx, in FOLDER of the current build folder, or in that. OPTIONS are those of attnc, `--dtype bf16 --head-dim 64`
# for instance. With PACKAGE all of them are one file name.attnpkg. With LINK they become functions of TARGET, which needs no
# runtime then: it is linked with NAME.o and includes NAME.h. The files are the target's property ATTNC_KERNELS, for install().
# Calls may share a file; where it would not be the same, one needs a FOLDER of its own.
function(attnc_add_kernels TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "LINK" "FOLDER;PACKAGE" "SOURCES;ARCH;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "attnc_add_kernels: expected SOURCES, ARCH, PACKAGE, LINK, OPTIONS or FOLDER, got ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "attnc_add_kernels: expected SOURCES, got none")
  endif()
  if(NOT TARGET ${TARGET})
    message(FATAL_ERROR "attnc_add_kernels: expected a target, got ${TARGET}")
  endif()
  if(NOT ARG_ARCH)
    set(ARG_ARCH host)
  endif()
  if(ARG_LINK AND (ARG_PACKAGE OR NOT ARG_ARCH STREQUAL host))
    message(FATAL_ERROR "attnc_add_kernels: expected LINK for the host alone, got ARCH ${ARG_ARCH} ${ARG_PACKAGE}")
  endif()
  get_filename_component(ARG_FOLDER "${ARG_FOLDER}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  set(outputs "")
  list(TRANSFORM ARG_SOURCES REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  if(ARG_PACKAGE)
    list(JOIN ARG_ARCH "," archs)
    set(outputs ${ARG_FOLDER}/${ARG_PACKAGE}.attnpkg)
    attnc_claim_kernels("${outputs}" "${ARG_SOURCES} ${archs} ${ARG_OPTIONS}")
    add_custom_command(OUTPUT ${outputs} DEPENDS ${ARG_SOURCES} attnc::attnc
      COMMAND ${CMAKE_COMMAND} -E make_directory ${ARG_FOLDER}
      COMMAND attnc::attnc ${ARG_SOURCES} --arch ${archs} ${ARG_OPTIONS} -o ${outputs}
      COMMENT "Compiling ${ARG_PACKAGE}.attnpkg" VERBATIM)
    set(ARG_SOURCES "")
  endif()
  foreach(source ${ARG_SOURCES})
    get_filename_component(name ${source} NAME_WLE)
    if(ARG_LINK)
      set(output ${ARG_FOLDER}/${name}.o ${ARG_FOLDER}/${name}.h)
      attnc_claim_kernels("${output}" "${source} ${ARG_OPTIONS}")
      add_custom_command(OUTPUT ${output} DEPENDS ${source} attnc::attnc
        COMMAND ${CMAKE_COMMAND} -E make_directory ${ARG_FOLDER}
        COMMAND attnc::attnc ${source} ${ARG_OPTIONS} -o ${ARG_FOLDER}/${name}.o --header ${ARG_FOLDER}/${name}.h
        COMMENT "Compiling ${name}.attn" VERBATIM)
      target_sources(${TARGET} PRIVATE ${output})
      set_source_files_properties(${ARG_FOLDER}/${name}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
      target_include_directories(${TARGET} PRIVATE ${ARG_FOLDER})
      list(APPEND outputs ${output})
      continue()
    endif()
    foreach(arch ${ARG_ARCH})
      if(arch STREQUAL host)
        set(output ${ARG_FOLDER}/${name}.so)
      else()
        set(output ${ARG_FOLDER}/${name}.${arch}.ptx)
      endif()
      attnc_claim_kernels("${output}" "${source} ${ARG_OPTIONS}")
      add_custom_command(OUTPUT ${output} DEPENDS ${source} attnc::attnc
        COMMAND ${CMAKE_COMMAND} -E make_directory ${ARG_FOLDER}
        COMMAND attnc::attnc ${source} --arch ${arch} ${ARG_OPTIONS} -o ${output}
        COMMENT "Compiling ${name}.attn for ${arch}" VERBATIM)
      list(APPEND outputs ${output})
    endforeach()
  endforeach()
  # A call for each of several options has a target of its own.
  get_target_property(before ${TARGET} ATTNC_KERNELS)
  if(NOT before)
    set(before "")
  endif()
  list(LENGTH before number)
  add_custom_target(${TARGET}-kernels-${number} DEPENDS ${outputs})
  add_dependencies(${TARGET} ${TARGET}-kernels-${number})
  set_property(TARGET ${TARGET} APPEND PROPERTY ATTNC_KERNELS ${outputs})
endfunction()
