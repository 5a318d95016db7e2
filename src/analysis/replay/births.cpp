#include "analysis/replay/births.hpp"

#include "analysis/trace/allocation_names.hpp"
#include "base/number_map.hpp"
#include "memviz/error.hpp"

#include <algorithm>

namespace memviz {

struct BirthFinder::OfDevice {
  NumberMap blocks; ///< address -> index of the block that is there
  AllocationNames names;
  std::uint64_t events = 0;
};

BirthFinder::BirthFinder(MemoryState& state) : state_(state) {
  restart();
}

BirthFinder::~BirthFinder() = default;

void BirthFinder::restart() {
  devices_.clear();
  for (BlockFacts& facts : state_.facts)
    facts.birth.emplace();
  is_alive_.assign(state_.blocks.size(), false);
  for (const Segment& segment : state_.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      if (!state_.blocks[i].is_active() && !state_.facts[i].history.is_explained()) continue;
      is_alive_[i] = !state_.facts[i].history.is_explained();
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
    if (const auto block = of_device->blocks.find(event.address))
      take(*of_device, index, event, static_cast<std::size_t>(*block));
  }
}

void BirthFinder::take(OfDevice& of_device, std::uint64_t index, const Event& event, std::size_t block) {
  const auto life = of_device.names.take(index, event);
  if (!life || life->is_segment) return;
  BlockFacts& facts = state_.facts[block];
  BlockBirth& birth = *facts.birth;
  if (event.action == Action::alloc) {
    is_alive_[block] = EventIndex(index) == facts.history.alloc_event;
    if (is_alive_[block])
      birth = {life->use,           event.time_us,          event.user_metadata, event.compile_context,
               event.forward_stack, event.internal_metadata};
  } else if (event.action == Action::free_completed) {
    is_alive_[block] = false;
  } else if (event.action == Action::annotate && is_alive_[block]) {
    std::vector<StringId>& texts = birth.annotations;
    const bool is_new = std::ranges::find(texts, event.user_metadata) == texts.end();
    if (is_new && texts.size() < BlockBirth::kMostAnnotations) texts.push_back(event.user_metadata);
  }
}

void BirthFinder::finish() const {
  const std::size_t texts = state_.frames().string_count();
  const auto is_known = [&](StringId text) { return text.value < texts; };
  for (const BlockFacts& facts : state_.facts)
    if (facts.birth->forward_stack.value >= state_.frames().stack_count() || !is_known(facts.birth->user_metadata) ||
        !is_known(facts.birth->compile_context) || !is_known(facts.birth->internal_metadata) ||
        !std::ranges::all_of(facts.birth->annotations, is_known))
      throw Error("its events differ when they are read again: the file changed");
}

} // namespace memviz
