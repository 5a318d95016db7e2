// The functions of the table (functions/*.def) that have no books.
#pragma once

#include "abi.hpp"

#include <cstdint>

namespace memviz::rehearsal {

enum class Library {
  runtime,
  driver,
  nvml,
  cublas,
  cublaslt,
  cudnn,
  cufft,
  cufile,
  cupti,
  curand,
  cusolver,
  cusparse,
  cusparselt,
  nccl,
  nvrtc,
  nvshmem,
  nvtx,
};

// A handle or descriptor of a library. A library's main handle has a stream, and a matrix has a size; a sparse one has
// indices as well.
struct LibraryObject {
  Handle stream = nullptr;
  std::int64_t rows = 0, columns = 0, elements = 0;
  std::uint64_t index_bytes = 0;
  int device = 0; // of a main handle, with what it takes there on an H100
  std::uint64_t device_bytes = 0;
};

// Reports "memviz rehearse: cuFoo is not made up yet", once for each function, and returns the library's code for not
// supported.
int not_made_up(Library library, const char* function);

// Notes, by the function's name, that a workspace was counted as 0 bytes. Returns 0.
int no_workspace(Library library, const char* function);

// Counts what a main handle takes on the current device, until destroy_object() or return_device_bytes().
void take_device_bytes(LibraryObject& handle, std::uint64_t bytes);
void return_device_bytes(const LibraryObject& handle);

int create_object(Handle* out);
int destroy_object(Handle object);
int set_stream(Handle object, Handle stream);

// Records a call that runs kernels on the stream of the library's handle.
int launch_for(Library library, Handle object);
int launch_on_stream(Library library, Handle stream);

} // namespace memviz::rehearsal
