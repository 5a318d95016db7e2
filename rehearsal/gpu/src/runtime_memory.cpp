// CUDA runtime: memory, copies, pools, peers.
#include "transfer.hpp"

using namespace memviz::rehearsal;

namespace {

// First refuses calls that are not allowed while a stream captures.
template <typename Call> int unsafe_call(Call call) {
  return runtime_call([&](Machine& machine) {
    touch(machine, current_device());
    const Error error = machine.streams.check_unsafe_call();
    return error == Error::success ? call(machine) : error;
  });
}

} // namespace

MEMVIZ_EXPORT int cudaMalloc(void** pointer, std::size_t bytes) {
  if (!pointer) return static_cast<int>(Error::invalid_value);
  return unsafe_call([&](Machine& machine) { return machine.memory.allocate(current_device(), bytes, pointer); });
}

MEMVIZ_EXPORT int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height) {
  if (!pointer || !pitch) return static_cast<int>(Error::invalid_value);
  *pitch = round_up(width_bytes, 512);
  return unsafe_call(
      [&](Machine& machine) { return machine.memory.allocate(current_device(), *pitch * height, pointer); });
}

MEMVIZ_EXPORT int cudaFree(void* pointer) {
  return unsafe_call([&](Machine& machine) {
    if (pointer) machine.streams.wait_for_device(current_device());
    const Error error = machine.pools.free(pointer); // cudaFree also accepts memory of cudaMallocAsync
    return error == Error::success ? error : machine.memory.free(pointer);
  });
}

MEMVIZ_EXPORT int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  if (!pointer) return static_cast<int>(Error::invalid_value);
  return unsafe_call([&](Machine& machine) { return machine.memory.allocate_managed(bytes, pointer); });
}

MEMVIZ_EXPORT int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (!pointer) return static_cast<int>(Error::invalid_value);
  return unsafe_call([&](Machine& machine) { return machine.memory.allocate_host(bytes, flags, pointer); });
}

MEMVIZ_EXPORT int cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

MEMVIZ_EXPORT int cudaFreeHost(void* pointer) {
  return unsafe_call([&](Machine& machine) { return machine.memory.free_host(pointer); });
}

MEMVIZ_EXPORT int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return runtime_call([&](Machine& machine) { return machine.memory.register_host(pointer, bytes, flags); });
}

MEMVIZ_EXPORT int cudaHostUnregister(void* pointer) {
  return runtime_call([&](Machine& machine) { return machine.memory.unregister_host(pointer); });
}

MEMVIZ_EXPORT int cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  return runtime_call([&](Machine& machine) {
    if (!device_pointer || !machine.memory.find(host_pointer)) return Error::invalid_value;
    *device_pointer = host_pointer; // one address for both, as with unified addressing
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaHostGetFlags(unsigned* flags, void* pointer) {
  return runtime_call([&](Machine& machine) {
    const FoundRange* const found = machine.memory.find(pointer);
    if (!flags || !found || found->range.kind != RangeKind::pinned) return Error::invalid_value;
    *flags = found->range.flags;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return runtime_call([&](Machine& machine) {
    if (!free_bytes || !total_bytes) return Error::invalid_value;
    touch(machine, current_device());
    const DeviceBook& book = machine.memory.current_book(current_device());
    *free_bytes = book.free_bytes();
    *total_bytes = book.total_bytes;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return runtime_call([&](Machine& machine) {
    if (!attributes) return Error::invalid_value;
    void* const address = const_cast<void*>(pointer);
    const FoundRange* const found = machine.memory.find(pointer);
    if (!found) {
      *attributes = {MemoryType::unregistered, -2, nullptr, address}; // cudaInvalidDeviceId
      return Error::success;
    }
    switch (found->range.kind) {
    case RangeKind::device:
    case RangeKind::mapped:
    case RangeKind::peer:
    case RangeKind::pooled: *attributes = {MemoryType::device, found->range.device, address, nullptr}; break;
    case RangeKind::managed: *attributes = {MemoryType::managed, 0, address, address}; break;
    case RangeKind::pinned:
    case RangeKind::registered: *attributes = {MemoryType::host, 0, address, address}; break;
    }
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaMemcpy(void* destination, const void* source, std::size_t bytes, int) {
  return runtime_call([&](Machine& machine) { return copy_and_wait(machine, destination, source, bytes); });
}

MEMVIZ_EXPORT int cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, int, Handle stream) {
  return runtime_call([&](Machine& machine) { return copy(machine, destination, source, bytes, stream); });
}

MEMVIZ_EXPORT int cudaMemcpyPeer(void* destination, int, const void* source, int, std::size_t bytes) {
  return runtime_call([&](Machine& machine) { return copy(machine, destination, source, bytes, nullptr); });
}

MEMVIZ_EXPORT int cudaMemcpyPeerAsync(void* destination, int, const void* source, int, std::size_t bytes,
                                      Handle stream) {
  return runtime_call([&](Machine& machine) { return copy(machine, destination, source, bytes, stream); });
}

MEMVIZ_EXPORT int cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                               std::size_t source_pitch, std::size_t width_bytes, std::size_t height, int) {
  return runtime_call([&](Machine& machine) {
    return copy_rows(machine, destination, destination_pitch, source, source_pitch, width_bytes, height, nullptr);
  });
}

MEMVIZ_EXPORT int cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                                    std::size_t source_pitch, std::size_t width_bytes, std::size_t height, int,
                                    Handle stream) {
  return runtime_call([&](Machine& machine) {
    return copy_rows(machine, destination, destination_pitch, source, source_pitch, width_bytes, height, stream);
  });
}

MEMVIZ_EXPORT int cudaMemset(void* pointer, int value, std::size_t bytes) {
  return runtime_call([&](Machine& machine) { return fill(machine, pointer, value, bytes, nullptr); });
}

MEMVIZ_EXPORT int cudaMemsetAsync(void* pointer, int value, std::size_t bytes, Handle stream) {
  return runtime_call([&](Machine& machine) { return fill(machine, pointer, value, bytes, stream); });
}

MEMVIZ_EXPORT int cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return runtime_call([&](Machine& machine) {
    if (!can_access) return Error::invalid_value;
    if (!machine.memory.is_device(device) || !machine.memory.is_device(peer)) return Error::invalid_device;
    *can_access = device != peer;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return runtime_call([&](Machine& machine) {
    if (flags != 0) return Error::invalid_value;
    if (!machine.memory.is_device(peer) || peer == current_device()) return Error::invalid_device;
    const bool is_new = machine.peers.insert({current_device(), peer}).second;
    return is_new ? Error::success : Error::peer_access_already_enabled;
  });
}

MEMVIZ_EXPORT int cudaDeviceDisablePeerAccess(int peer) {
  return runtime_call([&](Machine& machine) {
    return machine.peers.erase({current_device(), peer}) ? Error::success : Error::peer_access_not_enabled;
  });
}
