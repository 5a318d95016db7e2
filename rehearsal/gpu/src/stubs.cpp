// Functions without books, made from the table. Their parameters are not declared: on x86-64 a function may leave
// parameters unread, and the caller removes them.
#include "stubs.hpp"

#include "machine.hpp"

namespace memviz::rehearsal {
namespace {

struct Codes {
  int not_supported;
  int failed;
  int no_memory;
};

// Each library's own numbers for NOT_SUPPORTED, EXECUTION_FAILED and ALLOC_FAILED, or the nearest ones.
Codes codes_of(Library library) {
  switch (library) {
  case Library::runtime:
  case Library::driver: return {801, 719, 2};
  case Library::nvml: return {3, 999, 999};
  case Library::cublas:
  case Library::cublaslt: return {15, 13, 3};
  case Library::cudnn: return {3000, 5000, 4004};
  case Library::cufft: return {16, 6, 2};
  case Library::cufile: return {5003, 5003, 5003};
  case Library::cupti: return {27, 999, 999};
  case Library::curand: return {999, 201, 102};
  case Library::cusolver: return {9, 6, 2};
  case Library::cusparse:
  case Library::cusparselt: return {10, 6, 2};
  case Library::nccl: return {5, 1, 1};
  case Library::nvrtc: return {11, 11, 1};
  case Library::nvshmem:
  case Library::nvtx: return {-1, -1, -1};
  }
  return {-1, -1, -1};
}

} // namespace

int not_made_up(Library library, const char* function) {
  const Locked machine;
  note(*machine, std::string(function) + " is not made up yet", true);
  return codes_of(library).not_supported;
}

int no_workspace(Library, const char* function) {
  note(*Locked(),
       std::string(function) + ": the workspace that it asks for on a GPU is unknown, and counted as 0 bytes");
  return 0;
}

void take_device_bytes(LibraryObject& handle, std::uint64_t bytes) {
  const Locked machine;
  handle.device = current_device();
  handle.device_bytes = bytes;
  DeviceBook& book = machine->memory.devices()[static_cast<std::size_t>(handle.device)];
  book.handle_bytes += bytes;
  book.peak_handle_bytes = std::max(book.peak_handle_bytes, book.handle_bytes);
}

void return_device_bytes(const LibraryObject& handle) {
  if (handle.device_bytes > 0)
    Locked()->memory.devices()[static_cast<std::size_t>(handle.device)].handle_bytes -= handle.device_bytes;
}

int create_object(Handle* out) {
  *out = new LibraryObject;
  return 0;
}

int destroy_object(Handle object) {
  const auto* const destroyed = static_cast<LibraryObject*>(object);
  if (destroyed) return_device_bytes(*destroyed);
  delete destroyed;
  return 0;
}

int set_stream(Handle object, Handle stream) {
  static_cast<LibraryObject*>(object)->stream = stream;
  return 0;
}

int launch_on_stream(Library library, Handle stream) {
  const int error = driver_call([&](Machine& machine) { return launch(machine, stream); });
  if (error == 0) return 0;
  const Codes codes = codes_of(library);
  return error == static_cast<int>(Error::out_of_memory) ? codes.no_memory : codes.failed;
}

int launch_for(Library library, Handle object) {
  return launch_on_stream(library, object ? static_cast<LibraryObject*>(object)->stream : nullptr);
}

} // namespace memviz::rehearsal

using namespace memviz::rehearsal;

using Word = std::uintptr_t;

// Returns the n-th integer parameter of a function: numbers and pointers are passed separately from floating-point
// ones.
#define ZERO_AT(library, name, type, ...)                                                                              \
  MEMVIZ_EXPORT int name(__VA_ARGS__, type* out) {                                                                     \
    if (out) *out = 0;                                                                                                 \
    return no_workspace(library, #name);                                                                               \
  }
#define ZERO_BOTH_AT(library, name, ...)                                                                               \
  MEMVIZ_EXPORT int name(__VA_ARGS__, std::size_t* device, std::size_t* host) {                                        \
    *device = *host = 0;                                                                                               \
    return no_workspace(library, #name);                                                                               \
  }
#define LAUNCH_AND_ZERO_AT(library, name, ...)                                                                         \
  MEMVIZ_EXPORT int name(Handle object, __VA_ARGS__, int* out) {                                                       \
    if (out) *out = 0;                                                                                                 \
    return launch_for(library, object);                                                                                \
  }
// The position minus one: the handle is the first parameter.
#define LESS_6 WORDS_5
#define LESS_9 WORDS_8
#define WORDS_1 Word
#define WORDS_2 Word, Word
#define WORDS_3 Word, Word, Word
#define WORDS_4 Word, Word, Word, Word
#define WORDS_5 WORDS_4, Word
#define WORDS_6 WORDS_4, Word, Word
#define WORDS_7 WORDS_4, Word, Word, Word
#define WORDS_8 WORDS_4, WORDS_4
#define WORDS_9 WORDS_8, Word
#define WORDS_10 WORDS_8, Word, Word
#define WORDS_11 WORDS_8, WORDS_3
#define WORDS_12 WORDS_8, WORDS_4
#define WORDS_13 WORDS_8, WORDS_5
#define WORDS_14 WORDS_8, WORDS_6
#define WORDS_15 WORDS_8, WORDS_7
#define WORDS_16 WORDS_8, WORDS_8
#define WORDS_17 WORDS_16, Word
#define WORDS_18 WORDS_16, WORDS_2
#define WORDS_19 WORDS_16, WORDS_3

#define BOOKS(library, name)
#define NOTHING(library, name)                                                                                         \
  MEMVIZ_EXPORT int name() {                                                                                           \
    return 0;                                                                                                          \
  }
#define FAILS(library, name)                                                                                           \
  MEMVIZ_EXPORT int name() {                                                                                           \
    return not_made_up(Library::library, #name);                                                                       \
  }
#define FAILS_NULL(library, name)                                                                                      \
  MEMVIZ_EXPORT void* name() {                                                                                         \
    not_made_up(Library::library, #name);                                                                              \
    return nullptr;                                                                                                    \
  }
#define CREATES(library, name)                                                                                         \
  MEMVIZ_EXPORT int name(Handle* out) {                                                                                \
    return create_object(out);                                                                                         \
  }
#define DESTROYS(library, name)                                                                                        \
  MEMVIZ_EXPORT int name(Handle object) {                                                                              \
    return destroy_object(object);                                                                                     \
  }
#define STREAM(library, name)                                                                                          \
  MEMVIZ_EXPORT int name(Handle object, Handle stream) {                                                               \
    return set_stream(object, stream);                                                                                 \
  }
#define LAUNCHES(library, name)                                                                                        \
  MEMVIZ_EXPORT int name(Handle object) {                                                                              \
    return launch_for(Library::library, object);                                                                       \
  }
#define LAUNCHES_WELL(library, name, position) LAUNCH_AND_ZERO_AT(Library::library, name, LESS_##position)
#define NO_WORKSPACE(library, name, position, type) ZERO_AT(Library::library, name, type, WORDS_##position)
#define NO_WORKSPACES(library, name, position) ZERO_BOTH_AT(Library::library, name, WORDS_##position)

#include "functions.def"
