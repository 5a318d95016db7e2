// Names and texts of errors, as cudaGetErrorName, cudaGetErrorString, cuGetErrorName and cuGetErrorString give them.
#pragma once

namespace memviz::rehearsal {

struct ErrorText {
  int number;
  const char* runtime_name; // cudaErrorInvalidValue
  const char* driver_name;  // CUDA_ERROR_INVALID_VALUE
  const char* text;
};

// Returns null for numbers that this library never returns.
[[nodiscard]] const ErrorText* error_text(int number);

} // namespace memviz::rehearsal
