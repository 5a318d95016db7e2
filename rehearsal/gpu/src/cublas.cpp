// cuBLAS and cuBLASLt. Handles, their modes and streams are kept; the arithmetic is kernel launches. PyTorch gives
// cuBLAS its workspace itself (cublasSetWorkspace), so cuBLAS takes none. A program that does not would see cuBLAS
// allocate one, which is not made up. cuBLASLt's heuristic finds one algorithm, which needs no workspace.
#include "stubs.hpp"

#include <cstring>

using namespace memviz::rehearsal;

namespace {

struct BlasHandle : LibraryObject {
  int pointer_mode = 0;
  int math_mode = 0;
  int atomics_mode = 0;
};

struct MatmulAlgorithm { // cublasLtMatmulAlgo_t
  std::uint64_t data[8];
};

struct HeuristicResult { // cublasLtMatmulHeuristicResult_t
  MatmulAlgorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

// The bytes that cudaMemGetInfo showed for each handle on an H100 (PyTorch 2.11, CUDA 13).
constexpr std::uint64_t kBlasHandleBytes = std::uint64_t{66} << 20U;
constexpr std::size_t kVersion12 = 120900;
constexpr std::size_t kVersion13 = 130100;

BlasHandle& handle_of(Handle handle) {
  return *static_cast<BlasHandle*>(handle);
}

} // namespace

MEMVIZ_EXPORT int cublasCreate_v2(Handle* out) {
  auto* const handle = new BlasHandle;
  take_device_bytes(*handle, kBlasHandleBytes);
  *out = static_cast<LibraryObject*>(handle);
  return 0;
}

MEMVIZ_EXPORT int cublasDestroy_v2(Handle handle) {
  if (!handle) return 0;
  return_device_bytes(handle_of(handle));
  delete static_cast<BlasHandle*>(handle);
  return 0;
}

MEMVIZ_EXPORT int cublasGetVersion_v2(Handle, int* version) {
  *version = static_cast<int>(kVersion13);
  return 0;
}

MEMVIZ_EXPORT const char* cublasGetStatusString(int status) {
  return status == 0 ? "success" : "an error of cuBLAS in a rehearsal by memviz";
}

MEMVIZ_EXPORT int cublasGetStream_v2(Handle handle, Handle* stream) {
  *stream = handle_of(handle).stream;
  return 0;
}

MEMVIZ_EXPORT int cublasSetPointerMode_v2(Handle handle, int mode) {
  handle_of(handle).pointer_mode = mode;
  return 0;
}

MEMVIZ_EXPORT int cublasGetPointerMode_v2(Handle handle, int* mode) {
  *mode = handle_of(handle).pointer_mode;
  return 0;
}

MEMVIZ_EXPORT int cublasSetMathMode(Handle handle, int mode) {
  handle_of(handle).math_mode = mode;
  return 0;
}

MEMVIZ_EXPORT int cublasGetMathMode(Handle handle, int* mode) {
  *mode = handle_of(handle).math_mode;
  return 0;
}

MEMVIZ_EXPORT std::size_t cublasLtGetVersion() {
  return kVersion12; // PyTorch only checks that it is at least about 12
}

MEMVIZ_EXPORT int cublasLtMatmulAlgoGetHeuristic(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int requested,
                                                 HeuristicResult* results, int* count) {
  const int given = requested > 0 ? 1 : 0;
  if (given) std::memset(results, 0, sizeof *results);
  *count = given;
  return 0;
}

MEMVIZ_EXPORT int cublasLtMatmul(Handle, Handle, const void*, const void*, Handle, const void*, Handle, const void*,
                                 const void*, Handle, void*, Handle, const MatmulAlgorithm*, void*, std::size_t,
                                 Handle stream) {
  return launch_on_stream(Library::cublaslt, stream);
}

MEMVIZ_EXPORT int cublasLtMatrixTransform(Handle, Handle, const void*, const void*, Handle, const void*, const void*,
                                          Handle, void*, Handle, Handle stream) {
  return launch_on_stream(Library::cublaslt, stream);
}
