# Finds LibTorch for the build of the capture module, and for programs that link with an installed one.
# LibTorch's CMake files run a program on the GPU to find its architecture, unless one is given. Nothing here is
# compiled for the GPU, so any will do.
if(NOT DEFINED TORCH_CUDA_ARCH_LIST AND NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
  set(TORCH_CUDA_ARCH_LIST "9.0")
endif()
# LibTorch before 2.8 names a library that the CUDA toolkit no longer has since 12.9. Nothing here uses it.
find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(Torch 2.4 REQUIRED)
find_package(Threads REQUIRED)
