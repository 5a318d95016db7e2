# The part of the wheel that is not Python: the component `wheel`, in the folders that scikit-build-core names. `./run
# wheel` has built all of it, in a folder that MEMVIZ_WHEEL_CONTENTS names; an installation from source builds it here.
function(memviz_install_wheel program rehearsal)
  install(PROGRAMS ${program} DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
  # Python reads it at start-up: MEMVIZ_RECORD=1 records unprepared programs.
  install(FILES ${PROJECT_SOURCE_DIR}/python/memviz_torch.pth DESTINATION ${SKBUILD_PLATLIB_DIR} COMPONENT wheel)
  # A wheel cannot contain links, so memviz creates those names itself. Not below lib, which `pip install --target`
  # omits.
  install(DIRECTORY ${rehearsal}/ DESTINATION ${SKBUILD_DATA_DIR}/libexec/memviz/rehearsal COMPONENT wheel OPTIONAL
          USE_SOURCE_PERMISSIONS PATTERN "*.so.*" EXCLUDE)
  memviz_install_jupyter(${SKBUILD_DATA_DIR}/share/jupyter/labextensions/memviz-torch)
endfunction()

# JupyterLab's viewer of snapshots, complete as it is in the source, and what enables its part of Jupyter's server.
function(memviz_install_jupyter folder)
  set(source ${PROJECT_SOURCE_DIR}/python/jupyter)
  configure_file(${source}/package.json.in ${CMAKE_CURRENT_BINARY_DIR}/jupyter/package.json @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jupyter/package.json ${source}/install.json DESTINATION ${folder} COMPONENT wheel)
  # Browsers keep a file as long as its name is the same.
  install(FILES ${source}/remoteEntry.js DESTINATION ${folder}/static RENAME remoteEntry.${PROJECT_VERSION}.js COMPONENT wheel)
  install(FILES ${source}/memviz_torch.json DESTINATION ${SKBUILD_DATA_DIR}/etc/jupyter/jupyter_server_config.d COMPONENT wheel)
endfunction()

if(DEFINED MEMVIZ_WHEEL_CONTENTS)
  memviz_install_wheel(${MEMVIZ_WHEEL_CONTENTS}/memviz ${MEMVIZ_WHEEL_CONTENTS}/rehearsal)
  add_custom_target(memviz) # pyproject.toml asks for it
  install(FILES ${MEMVIZ_WHEEL_CONTENTS}/NOTICES DESTINATION ${SKBUILD_METADATA_DIR}/licenses COMPONENT wheel)
else()
  memviz_install_wheel(${CMAKE_BINARY_DIR}/memviz ${CMAKE_BINARY_DIR}/rehearsal)
endif()
