// CUDA IPC: memory and events of another process. Opening them takes nothing from the device.
#include "numbers.hpp"
#include "runtime.hpp"
#include "shareable.hpp"

using namespace memviz::rehearsal;

namespace {

constexpr unsigned kDisableTiming = 2; // and interprocess, which an opened event is
constexpr unsigned kInterprocess = 4;

} // namespace

// A handle refers to the whole allocation, wherever in it the pointer is.
MEMVIZ_EXPORT int cudaIpcGetMemHandle(SharedBytes* handle, void* pointer) {
  return runtime_call([&](Machine& machine) {
    const FoundRange* const found = machine.memory.find(pointer);
    if (!handle || !found || found->range.kind != RangeKind::device) return Error::invalid_value;
    *handle = write_shared({found->range.bytes, false});
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaIpcOpenMemHandle(void** pointer, SharedBytes handle, unsigned) {
  return runtime_call([&](Machine& machine) {
    const auto memory = read_shared(handle);
    if (!pointer || !memory) return Error::invalid_value;
    touch(machine, current_device());
    return machine.memory.open_peer(current_device(), memory->bytes, pointer);
  });
}

MEMVIZ_EXPORT int cudaIpcCloseMemHandle(void* pointer) {
  return runtime_call([&](Machine& machine) { return machine.memory.close_peer(pointer); });
}

MEMVIZ_EXPORT int cudaIpcGetEventHandle(SharedBytes* handle, Handle event) {
  return runtime_call([&](Machine& machine) {
    if (!handle || !machine.streams.is_event(event)) return Error::invalid_handle;
    *handle = write_shared({});
    return Error::success;
  });
}

// Another process's work counts as done: processes do not meet.
MEMVIZ_EXPORT int cudaIpcOpenEventHandle(Handle* event, SharedBytes handle) {
  return runtime_call([&](Machine& machine) {
    if (!event || !read_shared(handle)) return Error::invalid_value;
    return machine.streams.create_event(current_device(), kDisableTiming | kInterprocess, event);
  });
}

MEMVIZ_EXPORT int cuIpcGetMemHandle(SharedBytes* handle, std::uint64_t address) {
  return quietly([&] { return cudaIpcGetMemHandle(handle, reinterpret_cast<void*>(address)); });
}

MEMVIZ_EXPORT int cuIpcOpenMemHandle_v2(std::uint64_t* address, SharedBytes handle, unsigned flags) {
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaIpcOpenMemHandle(&pointer, handle, flags);
    if (address) *address = number_of(pointer);
    return error;
  });
}

MEMVIZ_EXPORT int cuIpcOpenMemHandle(std::uint64_t* address, SharedBytes handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

MEMVIZ_EXPORT int cuIpcCloseMemHandle(std::uint64_t address) {
  return quietly([&] { return cudaIpcCloseMemHandle(reinterpret_cast<void*>(address)); });
}

MEMVIZ_EXPORT int cuIpcGetEventHandle(SharedBytes* handle, Handle event) {
  return quietly([&] { return cudaIpcGetEventHandle(handle, event); });
}

MEMVIZ_EXPORT int cuIpcOpenEventHandle(Handle* event, SharedBytes handle) {
  return quietly([&] { return cudaIpcOpenEventHandle(event, handle); });
}
