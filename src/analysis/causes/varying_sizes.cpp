#include "analysis/causes/varying_sizes.hpp"

#include <map>
#include <set>
#include <vector>

namespace memviz {

namespace {

/// Larger requests have segments that smaller ones do not use.
constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 20U;

std::map<StackId, std::vector<std::uint64_t>> large_sizes(const EventTable& events) {
  std::map<StackId, std::vector<std::uint64_t>> sizes;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events.action(i) == Action::alloc && events.size_bytes(i) > kLargeBytes)
      sizes[events.stack(i)].push_back(events.size_bytes(i));
  return sizes;
}

/// Whether the second half has sizes that the first half does not have: layers of different sizes repeat them.
bool are_ever_new(const std::vector<std::uint64_t>& sizes) {
  constexpr std::size_t kFewest = 4;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::set<std::uint64_t> seen(sizes.begin(), middle);
  const std::size_t early = seen.size();
  seen.insert(middle, sizes.end());
  return seen.size() >= early + kFewest;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& sizes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : sizes)
    sum += bytes;
  return sum;
}

} // namespace

std::optional<Cause> varying_sizes(const MemoryState& state, const DeviceState& device_state, CallLineFinder& finder) {
  constexpr std::uint64_t kLeastPart = 5;
  const std::uint64_t reserved_bytes = device_state.figures.reserved_bytes;
  const std::uint64_t peak_bytes = device_state.figures.peak_requested_bytes;
  if (reserved_bytes <= peak_bytes || reserved_bytes - peak_bytes < reserved_bytes / kLeastPart) return std::nullopt;
  Cause cause{.kind = CauseKind::varying_sizes, .bytes = reserved_bytes - peak_bytes};
  std::uint64_t all_bytes = 0;
  std::uint64_t varying_bytes = 0;
  std::uint64_t most_bytes = 0;
  for (const auto& [stack, sizes] : large_sizes(state.recording->events_of(device_state.device))) {
    const std::uint64_t bytes = sum_of(sizes);
    all_bytes += bytes;
    if (!are_ever_new(sizes)) continue;
    varying_bytes += bytes;
    const CalledLine& line = finder.of(stack).line;
    if (bytes <= most_bytes || !line.line) continue;
    most_bytes = bytes;
    cause.line = line;
    cause.calls = sizes.size();
    cause.sizes = std::set<std::uint64_t>(sizes.begin(), sizes.end()).size();
  }
  if (most_bytes == 0 || varying_bytes < all_bytes / 2) return std::nullopt;
  return cause;
}

} // namespace memviz
