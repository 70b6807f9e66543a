# What `cmake --install` puts where: libraries, headers, tools, the library of mods, a CMake package and pkg-config files.
# CPack makes a Debian package of the same.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(AttncManuals)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attnc)

install(TARGETS attnc_shared_runtime EXPORT attnc-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Found by the runtime alone: nothing links it.
install(TARGETS attnc_shared_emulator LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/attnc/attnc.h ${PROJECT_SOURCE_DIR}/runtime/include/attnc/attnc.hpp
  ${PROJECT_SOURCE_DIR}/runtime/include/attnc/compiler.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attnc)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE.TXT DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS attn-emu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
attnc_add_manual(attn-emu)
if(ATTNC_BUILD_COMPILER)
  install(TARGETS attnc_compiler EXPORT attnc-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS attnc EXPORT attnc-targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS attn-run attn-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  attnc_add_manual(attnc)
  attnc_add_manual(attn-run)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/AttncKernels.cmake DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/compiler/library/attnc.attn DESTINATION ${CMAKE_INSTALL_DATADIR}/attnc)
endif()

install(EXPORT attnc-targets NAMESPACE attnc:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/attncConfig.cmake.in attncConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(attncConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attncConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/attncConfigVersion.cmake
  DESTINATION ${package_dir})
# Found from its own place, so that what is installed can be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/attnc.pc.in attnc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attnc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attnc)
set(CPACK_PACKAGE_VENDOR "the attnc project")
set(CPACK_PACKAGE_CONTACT "the attnc project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler for attention variants, and the runtime of its kernels")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libdlpack-dev)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)
