# The engine of `memviz view` as a native library, for tests and fuzzers: everything except its C functions.
file(GLOB engine_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/view/engine/*.cpp)
list(FILTER engine_sources EXCLUDE REGEX "/exports\\.cpp$")
add_library(memviz_engine STATIC ${engine_sources})
target_include_directories(memviz_engine PUBLIC ${PROJECT_SOURCE_DIR}/view PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/render)
target_link_libraries(memviz_engine PUBLIC memviz_core PRIVATE memviz_warnings memviz_render nlohmann_json::nlohmann_json fmt::fmt PkgConfig::re2)
memviz_unity_by_folder(memviz_engine)
