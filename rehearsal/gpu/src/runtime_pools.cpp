// CUDA runtime: stream-ordered allocation and memory pools.
#include "machine.hpp"

using namespace memviz::rehearsal;

MEMVIZ_EXPORT int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, Handle pool, Handle stream) {
  return runtime_call([&](Machine& machine) {
    Stream* const found = machine.streams.find(stream, current_device());
    if (!found) return Error::invalid_handle;
    touch(machine, found->device);
    // A captured cudaMallocAsync is a node of the graph, whose memory is allocated with the graph's launch: not made
    // up.
    if (found->capture) {
      note(machine, "cudaMallocAsync in a captured stream is not made up yet", true);
      return Error::not_supported;
    }
    return machine.pools.allocate(pool, bytes, pointer);
  });
}

MEMVIZ_EXPORT int cudaMallocAsync(void** pointer, std::size_t bytes, Handle stream) {
  Handle pool = nullptr;
  const int error = runtime_call([&](Machine& machine) {
    const Stream* const found = machine.streams.find(stream, current_device());
    if (!found) return Error::invalid_handle;
    pool = machine.pools.current_pool(found->device);
    return Error::success;
  });
  return error ? error : cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}

MEMVIZ_EXPORT int cudaFreeAsync(void* pointer, Handle stream) {
  return runtime_call([&](Machine& machine) {
    if (!machine.streams.find(stream, current_device())) return Error::invalid_handle;
    return pointer ? machine.pools.free(pointer) : Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceGetDefaultMemPool(Handle* pool, int device) {
  return runtime_call([&](Machine& machine) {
    if (!pool || !machine.memory.is_device(device)) return Error::invalid_value;
    *pool = machine.pools.default_pool(device);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceGetMemPool(Handle* pool, int device) {
  return runtime_call([&](Machine& machine) {
    if (!pool || !machine.memory.is_device(device)) return Error::invalid_value;
    *pool = machine.pools.current_pool(device);
    return Error::success;
  });
}

MEMVIZ_EXPORT int cudaDeviceSetMemPool(int device, Handle pool) {
  return runtime_call([&](Machine& machine) {
    return machine.memory.is_device(device) ? machine.pools.set_current(device, pool) : Error::invalid_device;
  });
}

MEMVIZ_EXPORT int cudaMemPoolCreate(Handle* pool, const PoolProperties* properties) {
  return runtime_call(
      [&](Machine& machine) { return properties ? machine.pools.create(*properties, pool) : Error::invalid_value; });
}

MEMVIZ_EXPORT int cudaMemPoolDestroy(Handle pool) {
  return runtime_call([&](Machine& machine) { return machine.pools.destroy(pool); });
}

MEMVIZ_EXPORT int cudaMemPoolGetAttribute(Handle pool, int attribute, void* value) {
  return runtime_call(
      [&](Machine& machine) { return machine.pools.get(pool, static_cast<PoolAttribute>(attribute), value); });
}

MEMVIZ_EXPORT int cudaMemPoolSetAttribute(Handle pool, int attribute, void* value) {
  return runtime_call(
      [&](Machine& machine) { return machine.pools.set(pool, static_cast<PoolAttribute>(attribute), value); });
}

MEMVIZ_EXPORT int cudaMemPoolTrimTo(Handle pool, std::size_t keep_bytes) {
  return runtime_call([&](Machine& machine) { return machine.pools.trim(pool, keep_bytes); });
}

// Every device may read every other's memory here; that a program has to request it is not enforced, since nothing is
// read.
MEMVIZ_EXPORT int cudaMemPoolSetAccess(Handle pool, const AccessDescription* descriptions, std::size_t count) {
  return runtime_call([&](Machine& machine) {
    if (!machine.pools.find(pool) || (count > 0 && !descriptions)) return Error::invalid_value;
    for (std::size_t index = 0; index < count; ++index)
      if (!machine.memory.is_device(descriptions[index].location.id)) return Error::invalid_device;
    return Error::success;
  });
}
