# How every target of the project is compiled: language level, warnings, sanitizers, output folders.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_library(attnc_options INTERFACE)
target_compile_options(attnc_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
# GCC 12 wrongly warns of copies inside std::string's own code (GCC bugs 105651 and 105329) and of LLVM's maps.
target_compile_options(attnc_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-maybe-uninitialized>)
if(ATTNC_WERROR)
  target_compile_options(attnc_options INTERFACE -Werror)
endif()
if(ATTNC_SANITIZE)
  target_compile_options(attnc_options INTERFACE
    -fsanitize=${ATTNC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(attnc_options INTERFACE -fsanitize=${ATTNC_SANITIZE})
  # Kernels carry no type in front of their first instruction, where clang would look for it.
  target_compile_options(attnc_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
endif()
target_include_directories(attnc_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

# A linker that takes the static MLIR archives in any order, quickly.
find_program(ATTNC_LLD NAMES ld.lld-22 ld.lld HINTS /usr/lib/llvm-22/bin)
if(ATTNC_LLD)
  get_filename_component(_lld_dir ${ATTNC_LLD} REALPATH)
  get_filename_component(_lld_dir ${_lld_dir} DIRECTORY)
  target_link_options(attnc_options INTERFACE -fuse-ld=lld -B${_lld_dir})
endif()
