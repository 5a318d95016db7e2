# Finds LibTorch for the build of the capture module, and for programs that link with an installed one.
# LibTorch before 2.8 names a library that the CUDA toolkit no longer has since 12.9. Nothing here uses it.
find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
include(CMakeFindDependencyMacro)
find_dependency(Torch 2.4)
find_dependency(Threads)
