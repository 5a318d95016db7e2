// CUDA driver: memory, copies, virtual memory management, pools.
#include "numbers.hpp"
#include "runtime.hpp"
#include "transfer.hpp"

#include <cstring>

using namespace memviz::rehearsal;

namespace {

void* pointer_of(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

int copy_on(std::uint64_t destination, std::uint64_t source, std::size_t bytes, Handle stream) {
  return driver_call(
      [&](Machine& machine) { return copy(machine, pointer_of(destination), pointer_of(source), bytes, stream); });
}

int copy_blocking(std::uint64_t destination, std::uint64_t source, std::size_t bytes) {
  return driver_call(
      [&](Machine& machine) { return copy_and_wait(machine, pointer_of(destination), pointer_of(source), bytes); });
}

// Fills memory with a value. A value of 2 or 4 bytes is kept only if its bytes are equal; else the bytes are unknown,
// and are read as zeros.
int fill_on(std::uint64_t destination, unsigned value, std::size_t element_bytes, std::size_t count, Handle stream) {
  const unsigned byte = value & 255;
  const bool is_uniform = element_bytes == 1 || value == (element_bytes == 2 ? byte * 0x101U : byte * 0x1010101U);
  return driver_call([&](Machine& machine) {
    return fill(machine, pointer_of(destination), is_uniform ? static_cast<int>(byte) : 0, count * element_bytes,
                stream);
  });
}

} // namespace

MEMVIZ_EXPORT int cuMemAlloc_v2(std::uint64_t* out, std::size_t bytes) {
  if (!out || bytes == 0) return static_cast<int>(Error::invalid_value); // of zero bytes: an error, unlike cudaMalloc
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaMalloc(&pointer, bytes);
    *out = number_of(pointer);
    return error;
  });
}

MEMVIZ_EXPORT int cuMemAllocPitch_v2(std::uint64_t* out, std::size_t* pitch, std::size_t width_bytes,
                                     std::size_t height, unsigned) {
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaMallocPitch(&pointer, pitch, width_bytes, height);
    *out = number_of(pointer);
    return error;
  });
}

MEMVIZ_EXPORT int cuMemAllocManaged(std::uint64_t* out, std::size_t bytes, unsigned flags) {
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaMallocManaged(&pointer, bytes, flags);
    *out = number_of(pointer);
    return error;
  });
}

MEMVIZ_EXPORT int cuMemFree_v2(std::uint64_t address) {
  return quietly([&] { return cudaFree(pointer_of(address)); });
}

MEMVIZ_EXPORT int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return quietly([&] { return cudaMemGetInfo(free_bytes, total_bytes); });
}

MEMVIZ_EXPORT int cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return quietly([&] { return cudaHostAlloc(out, bytes, flags); });
}

MEMVIZ_EXPORT int cuMemAllocHost_v2(void** out, std::size_t bytes) {
  return quietly([&] { return cudaHostAlloc(out, bytes, 0); });
}

MEMVIZ_EXPORT int cuMemFreeHost(void* pointer) {
  return quietly([&] { return cudaFreeHost(pointer); });
}

MEMVIZ_EXPORT int cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return quietly([&] { return cudaHostRegister(pointer, bytes, flags); });
}

MEMVIZ_EXPORT int cuMemHostUnregister(void* pointer) {
  return quietly([&] { return cudaHostUnregister(pointer); });
}

MEMVIZ_EXPORT int cuMemHostGetDevicePointer_v2(std::uint64_t* out, void* pointer, unsigned flags) {
  return quietly([&] {
    void* device_pointer = nullptr;
    const int error = cudaHostGetDevicePointer(&device_pointer, pointer, flags);
    *out = number_of(device_pointer);
    return error;
  });
}

MEMVIZ_EXPORT int cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return quietly([&] { return cudaHostGetFlags(flags, pointer); });
}

MEMVIZ_EXPORT int cuMemGetAddressRange_v2(std::uint64_t* base, std::size_t* bytes, std::uint64_t address) {
  return driver_call([&](Machine& machine) {
    const FoundRange* const found = machine.memory.find(pointer_of(address));
    if (!found) return Error::not_found;
    if (base) *base = found->begin;
    if (bytes) *bytes = found->range.bytes;
    return Error::success;
  });
}

MEMVIZ_EXPORT int cuPointerGetAttribute(void* data, int attribute, std::uint64_t address) {
  return driver_call([&](Machine& machine) {
    const FoundRange* const found = machine.memory.find(pointer_of(address));
    if (!data || !found) return Error::invalid_value;
    const auto give = [&](auto value) {
      std::memcpy(data, &value, sizeof value);
      return Error::success;
    };
    const bool is_host = found->range.kind == RangeKind::pinned || found->range.kind == RangeKind::registered;
    switch (attribute) {
    case 2: return give(is_host ? 1U : 2U); // CU_POINTER_ATTRIBUTE_MEMORY_TYPE: host, device
    case 3: return give(address);           // DEVICE_POINTER
    case 7: return give(found->begin);      // BUFFER_ID: unique for each allocation
    case 8: return give(static_cast<int>(found->range.kind == RangeKind::managed)); // IS_MANAGED
    case 9: return give(found->range.device);                                       // DEVICE_ORDINAL
    case 11: return give(found->begin);                                             // RANGE_START_ADDR
    case 12: return give(std::size_t{found->range.bytes});                          // RANGE_SIZE
    case 13: return give(1);                                                        // MAPPED
    default: break;
    }
    note(machine, "cuPointerGetAttribute " + std::to_string(attribute) + " is not made up yet", true);
    return Error::not_supported;
  });
}

MEMVIZ_EXPORT int cuMemcpy(std::uint64_t destination, std::uint64_t source, std::size_t bytes) {
  return copy_blocking(destination, source, bytes);
}
MEMVIZ_EXPORT int cuMemcpyAsync(std::uint64_t destination, std::uint64_t source, std::size_t bytes, Handle stream) {
  return copy_on(destination, source, bytes, stream);
}
MEMVIZ_EXPORT int cuMemcpyHtoD_v2(std::uint64_t destination, const void* source, std::size_t bytes) {
  return copy_blocking(destination, number_of(source), bytes);
}
MEMVIZ_EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t destination, const void* source, std::size_t bytes,
                                       Handle stream) {
  return copy_on(destination, number_of(source), bytes, stream);
}
MEMVIZ_EXPORT int cuMemcpyDtoH_v2(void* destination, std::uint64_t source, std::size_t bytes) {
  return copy_blocking(number_of(destination), source, bytes);
}
MEMVIZ_EXPORT int cuMemcpyDtoHAsync_v2(void* destination, std::uint64_t source, std::size_t bytes, Handle stream) {
  return copy_on(number_of(destination), source, bytes, stream);
}
MEMVIZ_EXPORT int cuMemcpyDtoD_v2(std::uint64_t destination, std::uint64_t source, std::size_t bytes) {
  return copy_blocking(destination, source, bytes);
}
MEMVIZ_EXPORT int cuMemcpyDtoDAsync_v2(std::uint64_t destination, std::uint64_t source, std::size_t bytes,
                                       Handle stream) {
  return copy_on(destination, source, bytes, stream);
}

MEMVIZ_EXPORT int cuMemsetD8_v2(std::uint64_t address, unsigned char value, std::size_t count) {
  return fill_on(address, value, 1, count, nullptr);
}
MEMVIZ_EXPORT int cuMemsetD8Async(std::uint64_t address, unsigned char value, std::size_t count, Handle stream) {
  return fill_on(address, value, 1, count, stream);
}
MEMVIZ_EXPORT int cuMemsetD16_v2(std::uint64_t address, unsigned short value, std::size_t count) {
  return fill_on(address, value, 2, count, nullptr);
}
MEMVIZ_EXPORT int cuMemsetD16Async(std::uint64_t address, unsigned short value, std::size_t count, Handle stream) {
  return fill_on(address, value, 2, count, stream);
}
MEMVIZ_EXPORT int cuMemsetD32_v2(std::uint64_t address, unsigned value, std::size_t count) {
  return fill_on(address, value, 4, count, nullptr);
}
MEMVIZ_EXPORT int cuMemsetD32Async(std::uint64_t address, unsigned value, std::size_t count, Handle stream) {
  return fill_on(address, value, 4, count, stream);
}

MEMVIZ_EXPORT int cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationProperties* properties, int) {
  return driver_call([&](Machine&) {
    if (!bytes || !properties) return Error::invalid_value;
    *bytes = kPageBytes;
    return Error::success;
  });
}
MEMVIZ_EXPORT int cuMemAddressReserve(std::uint64_t* out, std::size_t bytes, std::size_t alignment_bytes,
                                      std::uint64_t wished_address, unsigned long long) {
  return driver_call(
      [&](Machine& machine) { return machine.virtual_memory.reserve(bytes, alignment_bytes, wished_address, out); });
}
MEMVIZ_EXPORT int cuMemAddressFree(std::uint64_t address, std::size_t bytes) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.free_reservation(address, bytes); });
}
MEMVIZ_EXPORT int cuMemCreate(std::uint64_t* handle, std::size_t bytes, const AllocationProperties* properties,
                              unsigned long long) {
  return driver_call([&](Machine& machine) {
    return properties ? machine.virtual_memory.create(bytes, *properties, handle) : Error::invalid_value;
  });
}
MEMVIZ_EXPORT int cuMemRelease(std::uint64_t handle) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.release(handle); });
}
MEMVIZ_EXPORT int cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                           unsigned long long) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.map(address, bytes, offset, handle); });
}
MEMVIZ_EXPORT int cuMemUnmap(std::uint64_t address, std::size_t bytes) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.unmap(address, bytes); });
}
MEMVIZ_EXPORT int cuMemSetAccess(std::uint64_t address, std::size_t bytes, const AccessDescription* descriptions,
                                 std::size_t count) {
  return driver_call(
      [&](Machine& machine) { return machine.virtual_memory.set_access(address, bytes, descriptions, count); });
}
MEMVIZ_EXPORT int cuMemGetAccess(unsigned long long* flags, const Location* location, std::uint64_t address) {
  return driver_call([&](Machine& machine) {
    return location ? machine.virtual_memory.get_access(address, *location, flags) : Error::invalid_value;
  });
}
MEMVIZ_EXPORT int cuMemRetainAllocationHandle(std::uint64_t* handle, void* address) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.retain(number_of(address), handle); });
}
MEMVIZ_EXPORT int cuMemGetAllocationPropertiesFromHandle(AllocationProperties* properties, std::uint64_t handle) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.properties(handle, properties); });
}

MEMVIZ_EXPORT int cuMemAllocAsync(std::uint64_t* out, std::size_t bytes, Handle stream) {
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaMallocAsync(&pointer, bytes, stream);
    *out = number_of(pointer);
    return error;
  });
}
MEMVIZ_EXPORT int cuMemAllocFromPoolAsync(std::uint64_t* out, std::size_t bytes, Handle pool, Handle stream) {
  return quietly([&] {
    void* pointer = nullptr;
    const int error = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
    *out = number_of(pointer);
    return error;
  });
}
MEMVIZ_EXPORT int cuMemFreeAsync(std::uint64_t address, Handle stream) {
  return quietly([&] { return cudaFreeAsync(pointer_of(address), stream); });
}
MEMVIZ_EXPORT int cuDeviceGetDefaultMemPool(Handle* pool, int device) {
  return quietly([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
MEMVIZ_EXPORT int cuDeviceGetMemPool(Handle* pool, int device) {
  return quietly([&] { return cudaDeviceGetMemPool(pool, device); });
}
MEMVIZ_EXPORT int cuDeviceSetMemPool(int device, Handle pool) {
  return quietly([&] { return cudaDeviceSetMemPool(device, pool); });
}
MEMVIZ_EXPORT int cuMemPoolCreate(Handle* pool, const PoolProperties* properties) {
  return quietly([&] { return cudaMemPoolCreate(pool, properties); });
}
MEMVIZ_EXPORT int cuMemPoolDestroy(Handle pool) {
  return quietly([&] { return cudaMemPoolDestroy(pool); });
}
MEMVIZ_EXPORT int cuMemPoolGetAttribute(Handle pool, int attribute, void* value) {
  return quietly([&] { return cudaMemPoolGetAttribute(pool, attribute, value); });
}
MEMVIZ_EXPORT int cuMemPoolSetAttribute(Handle pool, int attribute, void* value) {
  return quietly([&] { return cudaMemPoolSetAttribute(pool, attribute, value); });
}
MEMVIZ_EXPORT int cuMemPoolTrimTo(Handle pool, std::size_t keep_bytes) {
  return quietly([&] { return cudaMemPoolTrimTo(pool, keep_bytes); });
}
MEMVIZ_EXPORT int cuMemPoolSetAccess(Handle pool, const AccessDescription* descriptions, std::size_t count) {
  return quietly([&] { return cudaMemPoolSetAccess(pool, descriptions, count); });
}
