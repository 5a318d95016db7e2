// Names and texts of errors, as cudaGetErrorName, cudaGetErrorString, cuGetErrorName and cuGetErrorString give them.
#include "abi.hpp"

#include <array>

namespace memviz::rehearsal {
namespace {

struct ErrorText {
  int number;
  const char* runtime_name; // cudaErrorInvalidValue
  const char* driver_name;  // CUDA_ERROR_INVALID_VALUE
  const char* text;
};

// PyTorch and others search messages for some of these texts ("out of memory"), so they are CUDA's own words.
constexpr std::array kErrors{
    ErrorText{0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    ErrorText{1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    ErrorText{2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    ErrorText{3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    ErrorText{9, "cudaErrorInvalidConfiguration", nullptr, "invalid configuration argument"},
    ErrorText{13, "cudaErrorInvalidSymbol", nullptr, "invalid device symbol"},
    ErrorText{21, "cudaErrorInvalidMemcpyDirection", nullptr, "invalid copy direction for memcpy"},
    // CUB returns it, which is a part of PyTorch, on a GPU for which it was not built.
    ErrorText{98, "cudaErrorInvalidDeviceFunction", nullptr, "invalid device function"},
    ErrorText{100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    ErrorText{101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    ErrorText{201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    ErrorText{217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
              "peer access is not supported between these two devices"},
    ErrorText{400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    ErrorText{401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE",
              "the operation cannot be performed in the present state"},
    ErrorText{500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    ErrorText{600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready"},
    ErrorText{704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
              "peer access is already enabled"},
    ErrorText{705, "cudaErrorPeerAccessNotEnabled", "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
              "peer access has not been enabled"},
    ErrorText{712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
              "part or all of the requested memory range is already mapped"},
    ErrorText{713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
              "pointer does not correspond to a registered memory region"},
    ErrorText{801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    ErrorText{900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
              "operation not permitted when stream is capturing"},
    ErrorText{901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
              "operation failed due to a previous error during capture"},
    ErrorText{902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE",
              "operation would result in a merge of separate capture sequences"},
    ErrorText{903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
              "capture was not ended in the same stream as it began"},
    ErrorText{904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
              "capturing stream has unjoined work"},
    ErrorText{905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
              "dependency created on uncaptured work in another stream"},
    ErrorText{906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
              "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorText{907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT",
              "operation not permitted on an event last recorded in a capturing stream"},
    ErrorText{908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
              "attempt to terminate a thread-local capture sequence from another thread"},
};

// Returns null for all other numbers.
const ErrorText* error_text(int number) {
  for (const ErrorText& error : kErrors)
    if (error.number == number) return &error;
  return nullptr;
}

} // namespace
} // namespace memviz::rehearsal

using namespace memviz::rehearsal;

MEMVIZ_EXPORT const char* cudaGetErrorName(int number) {
  const ErrorText* const error = error_text(number);
  return error ? error->runtime_name : "unrecognized error code";
}

MEMVIZ_EXPORT const char* cudaGetErrorString(int number) {
  const ErrorText* const error = error_text(number);
  return error ? error->text : "unrecognized error code";
}

MEMVIZ_EXPORT int cuGetErrorName(int number, const char** out) {
  const ErrorText* const error = error_text(number);
  *out = error ? error->driver_name : nullptr;
  return *out ? 0 : static_cast<int>(Error::invalid_value);
}

MEMVIZ_EXPORT int cuGetErrorString(int number, const char** out) {
  const ErrorText* const error = error_text(number);
  *out = error ? error->text : nullptr;
  return error ? 0 : static_cast<int>(Error::invalid_value);
}
