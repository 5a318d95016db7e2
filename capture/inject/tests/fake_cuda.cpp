// A driver with only its version, FAKE_CUDA_VERSION.
#include <cuda.h>

CUresult cuDriverGetVersion(int* version) {
  *version = FAKE_CUDA_VERSION * 1000;
  return CUDA_SUCCESS;
}
