# Manual pages and completions, which the program itself writes from its tables of options -> share/, and the
# documentation. A program for another machine cannot be run, so a cross build installs the program without them.
set(documents ${PROJECT_BINARY_DIR}/share)
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${documents}/written
    COMMAND memviz documents ${documents}
    COMMAND ${CMAKE_COMMAND} -E touch ${documents}/written
    DEPENDS memviz VERBATIM)
  add_custom_target(memviz_documents ALL DEPENDS ${documents}/written)
endif()

install(DIRECTORY ${documents}/man ${documents}/bash-completion ${documents}/fish
  DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
# Debian's zsh looks for the files of packages in a separate folder.
install(CODE "
  if(EXISTS \"${documents}/zsh/site-functions/_memviz\")
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES \"/usr\$\")
      set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\" TYPE FILE
      FILES \"${documents}/zsh/site-functions/_memviz\")
  endif()" COMPONENT program)

install(FILES README.md CHANGELOG.md SKILL.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# The place where Debian looks for it.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
