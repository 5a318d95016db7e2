// A driver that knows its version, FAKE_CUDA_VERSION, and nothing else.
#include <cuda.h>

CUresult cuDriverGetVersion(int* version) {
  *version = FAKE_CUDA_VERSION * 1000;
  return CUDA_SUCCESS;
}
