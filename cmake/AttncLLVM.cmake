# Finds LLVM and MLIR 22 and offers
#   attnc_add_library(NAME SOURCES... [LIBS libs...] [DEPENDS targets...] [WITHOUT_MLIR])
#                                                                            a static library of the compiler
#   attnc_add_tool(NAME SOURCES... LIBS libs... [LLVM components...])        an executable, statically linked
#   attnc_tablegen(TARGET TD_FILE OUT GENERATOR...)                          one mlir-tblgen output
#   attnc_doc(OUT TD_FILE GENERATOR...)     reference page docs/OUT of the build, part of target attnc-doc
#
# MLIR's exported targets name the shared libLLVM, which costs 25 ms at every start of a tool. So the
# archives are collected here and linked with LLVM's own static components.
set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "Folder of MLIRConfig.cmake")
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "attnc needs LLVM and MLIR 22, found ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(attnc_llvm_headers INTERFACE)
target_include_directories(attnc_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_options(attnc_llvm_headers INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
separate_arguments(_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(attnc_llvm_headers INTERFACE ${_llvm_definitions})

# What nearly every source of the compiler includes is parsed once. With a compiler cache, which works
# better without, each source is compiled with its own includes alone, so that none is missing.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(CONFIGURE OUTPUT precompiled.cpp CONTENT "// Has nothing but its precompiled headers.\n")
  add_library(attnc_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(attnc_precompiled PRIVATE attnc_options attnc_llvm_headers)
  target_precompile_headers(attnc_precompiled PRIVATE
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/Builders.h>
    <mlir/IR/BuiltinOps.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>)
endif()

# The archives of the named MLIR libraries and of all they need, without the shared LLVM.
function(attnc_collect_mlir OUT)
  set(pending ${ARGN})
  set(seen "")
  while(pending)
    list(POP_FRONT pending lib)
    if(lib IN_LIST seen OR NOT TARGET ${lib} OR NOT lib MATCHES "^MLIR.")
      continue()
    endif()
    list(APPEND seen ${lib})
    get_target_property(next ${lib} INTERFACE_LINK_LIBRARIES)
    if(next)
      string(REGEX REPLACE "\\$<LINK_ONLY:([^>]*)>" "\\1" next "${next}")
      list(APPEND pending ${next})
    endif()
  endwhile()
  set(files "")
  foreach(lib ${seen})
    get_target_property(type ${lib} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND files $<TARGET_FILE:${lib}>)
    endif()
  endforeach()
  set(${OUT} ${files} PARENT_SCOPE)
endfunction()

# attnc_link_llvm(TARGET MLIR libs... LLVM components...)
function(attnc_link_llvm TARGET)
  cmake_parse_arguments(ARG "" "" "MLIR;LLVM" ${ARGN})
  attnc_collect_mlir(archives ${ARG_MLIR})
  llvm_map_components_to_libnames(components Core Support ${ARG_LLVM})
  target_link_libraries(${TARGET} PUBLIC -Wl,--start-group ${archives} -Wl,--end-group ${components})
endfunction()

function(attnc_tablegen TARGET TD)
  set(LLVM_TARGET_DEFINITIONS ${TD})
  set(outputs "")
  cmake_parse_arguments(ARG "" "" "OUTPUTS" ${ARGN})
  while(ARG_OUTPUTS)
    list(POP_FRONT ARG_OUTPUTS out flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    mlir_tablegen(${out} ${flags} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_public_tablegen_target(${TARGET})
endfunction()

add_custom_target(attnc-doc)

function(attnc_doc OUT TD)
  set(LLVM_TARGET_DEFINITIONS ${TD})
  get_filename_component(name ${OUT} NAME)
  mlir_tablegen(${name} ${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  set(page ${PROJECT_BINARY_DIR}/docs/${OUT})
  add_custom_command(OUTPUT ${page} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${name} ${page})
  string(REPLACE "/" "-" target doc-${OUT})
  add_custom_target(${target} DEPENDS ${page})
  add_dependencies(attnc-doc ${target})
endfunction()

function(attnc_add_library NAME)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "LIBS;DEPENDS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${NAME} PUBLIC attnc_options attnc_llvm_headers ${ARG_LIBS})
  if(TARGET attnc_precompiled AND NOT ARG_WITHOUT_MLIR)
    target_precompile_headers(${NAME} REUSE_FROM attnc_precompiled)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${NAME} ${ARG_DEPENDS})
  endif()
endfunction()

function(attnc_add_tool NAME)
  cmake_parse_arguments(ARG "" "" "LIBS;MLIR;LLVM" ${ARGN})
  add_executable(${NAME} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${NAME} PRIVATE ${ARG_LIBS})
  attnc_link_llvm(${NAME} MLIR ${ARG_MLIR} LLVM ${ARG_LLVM})
endfunction()

# What a tool that runs all phases links.
set(ATTNC_MLIR_LIBS
  MLIRParser MLIRTransforms
  MLIRArithDialect MLIRControlFlowDialect MLIRFuncDialect MLIRLLVMDialect MLIRMathDialect MLIRMemRefDialect MLIRNVVMDialect
  MLIRSCFDialect MLIRUBDialect MLIRVectorDialect MLIRX86VectorDialect
  MLIRArithToLLVM MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRIndexToLLVM MLIRMathToLLVM MLIRMemRefToLLVM
  MLIRReconcileUnrealizedCasts MLIRSCFToControlFlow MLIRUBToLLVM MLIRVectorToLLVMPass
  MLIRBuiltinToLLVMIRTranslation MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation
  MLIRTargetLLVMIRExport)
set(ATTNC_LLVM_COMPONENTS AArch64 AsmParser FrontendOpenMP InstCombine Linker NVPTX X86)
