# `cmake --install` -> headers, libraries, find_package(memviz) with the target memviz::memviz, and memviz.pc.
include(CMakePackageConfigHelpers)

add_library(memviz_library INTERFACE)
target_link_libraries(memviz_library INTERFACE memviz_render memviz_core)
set_target_properties(memviz_library PROPERTIES EXPORT_NAME memviz)
set_target_properties(memviz_core PROPERTIES EXPORT_NAME core)
set_target_properties(memviz_render PROPERTIES EXPORT_NAME render)
add_library(memviz::memviz ALIAS memviz_library)
target_compile_features(memviz_core PUBLIC cxx_std_20)

install(TARGETS memviz_library memviz_core memviz_render EXPORT memviz ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/memviz DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/memviz)
install(EXPORT memviz NAMESPACE memviz:: DESTINATION ${package_folder} FILE memviz-targets.cmake)
configure_package_config_file(cmake/memviz-config.cmake.in ${PROJECT_BINARY_DIR}/memviz-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/memviz-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/memviz-config.cmake ${PROJECT_BINARY_DIR}/memviz-config-version.cmake DESTINATION ${package_folder})

configure_file(cmake/memviz.pc.in ${PROJECT_BINARY_DIR}/memviz.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/memviz.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
