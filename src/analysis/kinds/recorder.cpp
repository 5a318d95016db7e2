#include "memviz/recorder.hpp"

#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <tuple>

namespace memviz {

namespace {

/// Returns the first that lies within these bytes: an allocation may begin before its tensor does.
const DeclaredMemory* declared_within(const DeclaredTable& table, DeviceId device, std::uint64_t address,
                                      std::uint64_t size_bytes) {
  const auto place = [](const DeclaredMemory& one) { return std::tuple(one.device, one.address); };
  const auto found = std::ranges::lower_bound(table, std::tuple(device, address), {}, place);
  if (found == table.end() || found->device != device || found->address - address >= size_bytes) return nullptr;
  return found->size_bytes <= size_bytes - (found->address - address) ? &*found : nullptr;
}

} // namespace

const DeclaredMemory* declared_of(const MemoryState& state, DeviceId device, std::uint32_t block) {
  const Block& place = state.blocks[block];
  if (state.recording->declared.empty() || !place.is_active() || !state.facts[block].history.is_kept) return nullptr;
  return declared_within(state.recording->declared, device, place.address, place.size_bytes);
}

const DeclaredMemory* declared_of(const DeclaredTable& table, DeviceId device, const Life& life) {
  if (table.empty() || life.end != kForever) return nullptr;
  return declared_within(table, device, life.address, life.size_bytes);
}

} // namespace memviz
