// Functions that CUDA 12 and CUDA 13 have under one name with different parameters. The loader distinguishes their
// callers by the version that the program was linked with (cudaGraphAddNode@libcudart.so.12), so both are here, each
// under its version; dlsym finds 13.
#pragma once

#include "abi.hpp"

// Written before the definition of memviz_12_NAME, respectively memviz_13_NAME, which have to be MEMVIZ_EXPORT.
#define MEMVIZ_CUDART_12(name) __asm__(".symver memviz_12_" #name "," #name "@libcudart.so.12")
#define MEMVIZ_CUDART_13(name) __asm__(".symver memviz_13_" #name "," #name "@@libcudart.so.13")
