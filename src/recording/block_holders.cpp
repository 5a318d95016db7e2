#include "recording/block_holders.hpp"

#include <algorithm>
#include <tuple>

namespace memviz {
namespace {

struct Place {
  DeviceId device;
  std::uint64_t address = 0;
  std::uint32_t block = 0;
};

constexpr auto kWhere = [](const Place& place) { return std::tuple(place.device, place.address); };

/// Returns the places of active blocks, sorted.
std::vector<Place> places_of(const MemoryMap& memory) {
  std::vector<Place> places;
  for (const Segment& segment : memory.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (memory.blocks[i].is_active()) places.push_back({segment.device, memory.blocks[i].address, i});
  std::ranges::stable_sort(places, {}, kWhere); // segments of an edited file may overlap
  return places;
}

} // namespace

std::vector<BlockHolder> block_holders(const Recording& recording) {
  const std::vector<Place> places = places_of(recording.end);
  std::vector<BlockHolder> holders;
  for (const KeptStorage& storage : recording.keepers.storages) {
    const auto after = std::ranges::upper_bound(places, std::tuple(storage.device, storage.address), {}, kWhere);
    if (after == places.begin()) continue;
    const Place& place = *std::prev(after);
    const Block& block = recording.end.blocks[place.block];
    if (place.device == storage.device && storage.address - place.address < block.size_bytes)
      holders.push_back({place.block, storage.object});
  }
  return holders;
}

} // namespace memviz
