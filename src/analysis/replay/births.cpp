#include "memviz/births.hpp"

#include "analysis/trace/allocation_names.hpp"
#include "base/number_map.hpp"

namespace memviz {

struct BirthFinder::OfDevice {
  NumberMap blocks; ///< address -> index of the block that stands there
  AllocationNames names;
  std::uint64_t events = 0;
};

BirthFinder::BirthFinder(const MemoryState& state) : state_(state) {
  restart();
}

BirthFinder::~BirthFinder() = default;

void BirthFinder::restart() {
  devices_.clear();
  births_.assign(state_.blocks.size(), {});
  for (const Segment& segment : state_.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      if (!state_.histories[i].is_explained()) continue;
      std::unique_ptr<OfDevice>& of_device = devices_.make(segment.device);
      if (!of_device) of_device = std::make_unique<OfDevice>();
      static_cast<void>(of_device->blocks.insert(state_.blocks[i].address, i));
    }
}

void BirthFinder::take(DeviceId device, std::span<const Event> events) {
  const auto* const found = devices_.find(device);
  if (found == nullptr) return;
  OfDevice* const of_device = found->get();
  for (const Event& event : events) {
    const std::uint64_t index = of_device->events++;
    const auto block = of_device->blocks.find(event.address);
    if (!block) continue;
    const auto life = of_device->names.take(index, event);
    if (life && event.action == Action::alloc && EventIndex(index) == state_.histories[*block].alloc_event)
      births_[*block] = {life->use, event.time_us};
  }
}

} // namespace memviz
