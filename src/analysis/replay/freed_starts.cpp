#include "analysis/replay/freed_starts.hpp"

#include "memviz/replay.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Two frees of one address in the 64 bits of a NumberMap's value.
struct LastTwo {
  std::uint32_t earlier = kNoEvent; ///< up to the moment; kNoEvent for none
  std::uint32_t last = kNoEvent;

  [[nodiscard]] std::uint64_t packed() const { return std::uint64_t{earlier} << 32U | last; }
  [[nodiscard]] static LastTwo unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 32U), static_cast<std::uint32_t>(bits)};
  }
  [[nodiscard]] std::uint32_t until(std::int64_t moment) const {
    return static_cast<std::int64_t>(last) <= moment ? last : earlier;
  }
};

} // namespace

void FreedStarts::add(std::uint64_t address, std::uint64_t index, std::int64_t moment) {
  const auto event = static_cast<std::uint32_t>(std::min<std::uint64_t>(index, kNoEvent - 1));
  const auto former = frees_.insert(address, LastTwo{kNoEvent, event}.packed());
  if (!former) return;
  // A former free after the moment need not be kept: the moment moves on to events after this one or stays before both.
  const std::uint32_t earlier = LastTwo::unpacked(*former).until(moment);
  if (earlier != kNoEvent) frees_.insert(address, LastTwo{earlier, event}.packed());
}

std::vector<FreedStart> FreedStarts::until(std::int64_t moment) const {
  std::vector<FreedStart> starts;
  frees_.for_each([&](std::uint64_t address, std::uint64_t bits) {
    const std::uint32_t event = LastTwo::unpacked(bits).until(moment);
    if (event != kNoEvent) starts.push_back({address, event});
  });
  std::sort(starts.begin(), starts.end(),
            [](const FreedStart& one, const FreedStart& other) { return one.address < other.address; });
  return starts;
}

std::optional<std::uint64_t> first_freed_since(const std::vector<FreedStart>& starts, std::uint64_t first,
                                               std::uint64_t last, std::uint32_t born) {
  const auto begin =
      std::lower_bound(starts.begin(), starts.end(), first,
                       [](const FreedStart& start, std::uint64_t address) { return start.address < address; });
  for (auto start = begin; start != starts.end() && start->address <= last; ++start)
    if (born == kNoEvent || start->event > born) return start->address;
  return std::nullopt;
}

} // namespace memviz
