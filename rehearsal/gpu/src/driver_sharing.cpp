// CUDA driver: memory that processes share, and multicast objects, which write to the memory of several devices at
// once.
#include "machine.hpp"
#include "shareable.hpp"

#include <cstring>

using namespace memviz::rehearsal;

namespace {

constexpr int kFileDescriptor = 1; // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kFabric = 8;         // CU_MEM_HANDLE_TYPE_FABRIC

Error give(const SharedMemory& memory, int type, void* out) {
  if (type == kFabric) {
    const SharedBytes bytes = write_shared(memory);
    std::memcpy(out, &bytes, sizeof bytes);
    return Error::success;
  }
  const int descriptor = write_shared_file(memory);
  if (descriptor < 0) return Error::out_of_memory;
  std::memcpy(out, &descriptor, sizeof descriptor);
  return Error::success;
}

std::optional<SharedMemory> received(int type, void* handle) {
  if (type == kFileDescriptor) return read_shared_file(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  SharedBytes bytes{};
  if (type != kFabric || !handle) return std::nullopt;
  std::memcpy(&bytes, handle, sizeof bytes);
  return read_shared(bytes);
}

} // namespace

MEMVIZ_EXPORT int cuMemExportToShareableHandle(void* out, std::uint64_t handle, int type, unsigned long long flags) {
  return driver_call([&](Machine& machine) {
    SharedMemory memory;
    if (!out || flags != 0) return Error::invalid_value;
    const Error error = machine.virtual_memory.share(handle, type, &memory);
    return error == Error::success ? give(memory, type, out) : error;
  });
}

MEMVIZ_EXPORT int cuMemImportFromShareableHandle(std::uint64_t* handle, void* shareable, int type) {
  return driver_call([&](Machine& machine) {
    const auto memory = received(type, shareable);
    return memory ? machine.virtual_memory.import(*memory, current_device(), handle) : Error::invalid_value;
  });
}

MEMVIZ_EXPORT int cuMulticastCreate(std::uint64_t* handle, const MulticastProperties* properties) {
  return driver_call([&](Machine& machine) {
    if (!properties || properties->devices == 0) return Error::invalid_value;
    return machine.virtual_memory.create_multicast(properties->bytes, properties->handle_types, current_device(),
                                                   handle);
  });
}

MEMVIZ_EXPORT int cuMulticastAddDevice(std::uint64_t handle, int device) {
  return driver_call([&](Machine& machine) {
    if (!machine.memory.is_device(device)) return Error::invalid_device;
    return machine.virtual_memory.is_multicast(handle) ? Error::success : Error::invalid_value;
  });
}

MEMVIZ_EXPORT int cuMulticastBindMem(std::uint64_t handle, std::size_t offset, std::uint64_t memory,
                                     std::size_t memory_offset, std::size_t bytes, unsigned long long) {
  return driver_call([&](Machine& machine) {
    return machine.virtual_memory.check_binding(handle, offset, bytes) == Error::success
               ? machine.virtual_memory.check_part(memory, memory_offset, bytes)
               : Error::invalid_value;
  });
}

MEMVIZ_EXPORT int cuMulticastBindAddr(std::uint64_t handle, std::size_t offset, std::uint64_t address,
                                      std::size_t bytes, unsigned long long) {
  return driver_call([&](Machine& machine) {
    const FoundRange* const found = machine.memory.find(reinterpret_cast<void*>(address));
    return found ? machine.virtual_memory.check_binding(handle, offset, bytes) : Error::invalid_value;
  });
}

MEMVIZ_EXPORT int cuMulticastUnbind(std::uint64_t handle, int, std::size_t offset, std::size_t bytes) {
  return driver_call([&](Machine& machine) { return machine.virtual_memory.check_binding(handle, offset, bytes); });
}

// The minimum; unknown: by how much the recommended granularity of a real driver is larger.
MEMVIZ_EXPORT int cuMulticastGetGranularity(std::size_t* bytes, const MulticastProperties* properties, int) {
  return driver_call([&](Machine&) {
    if (!bytes || !properties) return Error::invalid_value;
    *bytes = kPageBytes;
    return Error::success;
  });
}
