// Names and texts of errors, as cudaGetErrorName, cudaGetErrorString, cuGetErrorName and cuGetErrorString give them.
#pragma once

namespace memviz::rehearsal {

struct ErrorText {
  int number;
  const char* runtime_name; // cudaErrorInvalidValue
  const char* driver_name;  // CUDA_ERROR_INVALID_VALUE
  const char* text;
};

// Null for a number that is none of those this library returns.
[[nodiscard]] const ErrorText* error_text(int number);

} // namespace memviz::rehearsal
