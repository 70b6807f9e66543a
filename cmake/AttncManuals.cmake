# attnc_add_manual(TOOL) makes a manual page of what TOOL prints for --help, and completions for bash, zsh and fish, in the
# folder manuals of the build, and installs them.
function(attnc_add_manual TOOL)
  set(folder ${PROJECT_BINARY_DIR}/manuals)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${TOOL}.1 ${folder}/${TOOL}.bash ${folder}/_${TOOL} ${folder}/${TOOL}.fish
    COMMAND ${TOOL} --help > ${folder}/${TOOL}.help
    COMMAND write-manual ${TOOL} ${PROJECT_VERSION} ${folder}/${TOOL}.help ${folder}
    DEPENDS ${TOOL} write-manual VERBATIM)
  add_custom_target(manual-${TOOL} ALL DEPENDS ${folder}/${TOOL}.1)
  install(FILES ${folder}/${TOOL}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${folder}/${TOOL}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${TOOL})
  install(FILES ${folder}/_${TOOL} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${folder}/${TOOL}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()
