# find_package(memviz_capture) -> the target memviz::capture, with the LibTorch that CMake finds for the program.
include(${CMAKE_CURRENT_LIST_DIR}/find_libtorch.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/memviz_capture-targets.cmake)
set_property(TARGET memviz::capture APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${TORCH_LIBRARIES})
