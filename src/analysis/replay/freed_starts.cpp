#include "analysis/replay/freed_starts.hpp"

#include "analysis/replay/moment_log.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Two frees of one address in the 64 bits of a NumberMap's value.
struct LastTwo {
  EventIndex earlier; ///< up to the moment, or none
  EventIndex last;

  [[nodiscard]] std::uint64_t packed() const { return event_bits(earlier) << 32U | event_bits(last); }
  [[nodiscard]] static LastTwo unpacked(std::uint64_t bits) {
    return {event_of_bits(bits >> 32U), event_of_bits(bits)};
  }
  [[nodiscard]] EventIndex until(EventIndex moment) const { return last <= moment ? last : earlier; }
};

} // namespace

void FreedStarts::add(std::uint64_t address, std::uint64_t index, EventIndex moment) {
  const EventIndex event(index);
  const auto former = frees_.insert(address, LastTwo{kNoEvent, event}.packed());
  if (!former) return;
  // A former free after the moment need not be kept: the moment either moves forward past this event or stays before
  // both.
  const EventIndex earlier = LastTwo::unpacked(*former).until(moment);
  if (!earlier.is_none()) frees_.insert(address, LastTwo{earlier, event}.packed());
}

std::vector<FreedStart> FreedStarts::until(EventIndex moment) const {
  std::vector<FreedStart> starts;
  frees_.for_each([&](std::uint64_t address, std::uint64_t bits) {
    const EventIndex event = LastTwo::unpacked(bits).until(moment);
    if (!event.is_none()) starts.push_back({address, event});
  });
  std::ranges::sort(starts, [](const FreedStart& one, const FreedStart& other) { return one.address < other.address; });
  return starts;
}

std::optional<std::uint64_t> first_freed_since(const std::vector<FreedStart>& starts, std::uint64_t first,
                                               std::uint64_t last, EventIndex born) {
  const auto begin =
      std::lower_bound(starts.begin(), starts.end(), first,
                       [](const FreedStart& start, std::uint64_t address) { return start.address < address; });
  for (auto start = begin; start != starts.end() && start->address <= last; ++start)
    if (start->event > born) return start->address;
  return std::nullopt;
}

} // namespace memviz
