# `cpack` in the build folder -> memviz_VERSION_ARCHITECTURE.deb: the program, the made-up GPU, manual pages,
# completions, documentation; without the library.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME memviz)
set(CPACK_PACKAGE_VENDOR memviz)
set(CPACK_PACKAGE_CONTACT "memviz <memviz@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "who holds the GPU memory: reads PyTorch memory snapshots")
set(CPACK_PACKAGE_DESCRIPTION "Opens the snapshots that torch.cuda.memory._dump_snapshot writes, without Python and without executing what is in
them, and draws them, explains why memory ran out, finds what grows, and compares. Rehearses programs on a GPU that is made up.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "librsvg2-bin, python3")
include(CPack)
