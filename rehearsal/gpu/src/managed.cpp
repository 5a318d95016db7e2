// Managed memory, which the driver moves between host and devices: hints that a program gives in advance.
#include "machine.hpp"
#include "versioned.hpp"

using namespace memviz::rehearsal;

namespace {

constexpr int kCopyNode = 1;

Error prefetch(Machine& machine, const void* pointer, Handle stream) {
  const FoundRange* const found = machine.memory.find(pointer);
  if (!found || found->range.kind != RangeKind::managed) return Error::invalid_value;
  note(machine, "managed memory is not counted; on a device it takes the room that other memory leaves");
  return launch(machine, stream, kCopyNode);
}

} // namespace

MEMVIZ_CUDART_12(cudaMemPrefetchAsync);
MEMVIZ_EXPORT int memviz_12_cudaMemPrefetchAsync(const void* pointer, std::size_t, int, Handle stream) {
  return runtime_call([&](Machine& machine) { return prefetch(machine, pointer, stream); });
}

MEMVIZ_CUDART_13(cudaMemPrefetchAsync);
MEMVIZ_EXPORT int memviz_13_cudaMemPrefetchAsync(const void* pointer, std::size_t, Location, unsigned, Handle stream) {
  return runtime_call([&](Machine& machine) { return prefetch(machine, pointer, stream); });
}

MEMVIZ_EXPORT int cudaMemPrefetchAsync_v2(const void* pointer, std::size_t, Location, unsigned, Handle stream) {
  return runtime_call([&](Machine& machine) { return prefetch(machine, pointer, stream); });
}

MEMVIZ_EXPORT int cuMemPrefetchAsync(std::uint64_t address, std::size_t, int, Handle stream) {
  return driver_call(
      [&](Machine& machine) { return prefetch(machine, reinterpret_cast<const void*>(address), stream); });
}

MEMVIZ_EXPORT int cuMemPrefetchAsync_v2(std::uint64_t address, std::size_t, Location, unsigned, Handle stream) {
  return driver_call(
      [&](Machine& machine) { return prefetch(machine, reinterpret_cast<const void*>(address), stream); });
}
