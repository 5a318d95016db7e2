#include "analysis/kinds/pass_release.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace memviz {

namespace {

constexpr std::size_t kMostReleases = std::size_t{1} << 20U;

/// Whether `part` is at least `numerator` / `denominator` of `whole`.
bool is_share(std::uint64_t part, std::uint64_t whole, std::uint64_t numerator, std::uint64_t denominator) {
  return part / numerator >= whole / denominator;
}

/// Without autocast's copies.
std::uint64_t own_bytes(const CalledCount& count) {
  return count.bytes - std::min(count.bytes, count.cast_bytes);
}
std::uint64_t own_blocks(const CalledCount& count) {
  return count.blocks - count.cast_blocks;
}

/// The allocations of one line.
struct OfStack {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

/// Whether at least four lines made them, each many, and none of the lines more than half of the bytes.
bool are_of_many_layers(const std::vector<FreedInPass>& freed) {
  constexpr std::uint64_t kFewestLayers = 4;
  constexpr std::size_t kFewestLines = 4;
  std::unordered_map<std::uint32_t, OfStack> stacks;
  std::uint64_t bytes = 0;
  for (const FreedInPass& one : freed) {
    if (one.is_cast) continue;
    OfStack& stack = stacks[one.stack.value];
    ++stack.blocks;
    stack.bytes = saturating_sum(stack.bytes, one.size_bytes);
    bytes = saturating_sum(bytes, one.size_bytes);
  }
  std::size_t lines = 0;
  std::uint64_t repeated_bytes = 0;
  for (const auto& [stack, of_stack] : stacks) {
    if (of_stack.bytes > bytes / 2) return false;
    if (of_stack.blocks < kFewestLayers) continue;
    ++lines;
    repeated_bytes = saturating_sum(repeated_bytes, of_stack.bytes);
  }
  return lines >= kFewestLines && is_share(repeated_bytes, bytes, 1, 2);
}

} // namespace

void CalledCount::add(std::uint64_t size_bytes, bool is_cast) {
  ++blocks;
  bytes = saturating_sum(bytes, size_bytes);
  if (!is_cast) return;
  ++cast_blocks;
  cast_bytes = saturating_sum(cast_bytes, size_bytes);
}

void CalledCount::remove(std::uint64_t size_bytes, bool is_cast) {
  --blocks;
  bytes -= std::min(bytes, size_bytes);
  if (!is_cast) return;
  --cast_blocks;
  cast_bytes -= std::min(cast_bytes, size_bytes);
}

void CalledBytes::add(EventIndex event, std::uint64_t size_bytes, bool is_cast) {
  // A pass that no backward pass follows, as in a teacher or a validation, leaves almost nothing.
  constexpr std::uint64_t kLeastMade = 20;
  constexpr std::uint64_t kMostLeft = 2;
  if (made.blocks >= kLeastMade && live.blocks <= kMostLeft) *this = {.first = event};
  latest[static_cast<std::size_t>(made.blocks % latest.size())] = event;
  made.add(size_bytes, is_cast);
  live.add(size_bytes, is_cast);
}

bool CalledBytes::keeps_for_backward() const {
  constexpr std::uint64_t kFewest = 8;
  return live.blocks >= kFewest && is_share(live.bytes, made.bytes, 2, 5) &&
         is_share(own_bytes(live), own_bytes(made), 3, 10);
}

bool is_released_graph(const CalledBytes& called, const std::vector<FreedInPass>& freed) {
  constexpr std::uint64_t kFewest = 32;
  if (freed.size() < kFewest) return false;
  CalledCount released;
  for (const FreedInPass& one : freed)
    released.add(one.size_bytes, one.is_cast);
  return own_blocks(released) >= kFewest && is_share(released.bytes, called.made.bytes, 2, 5) &&
         is_share(own_bytes(released), own_bytes(called.made), 3, 10) &&
         is_share(own_blocks(released), own_blocks(called.made), 1, 4) && are_of_many_layers(freed);
}

void PassReleases::add(const PassRelease& release) {
  if (releases_.size() < kMostReleases) releases_.push_back(release);
}

const PassRelease* PassReleases::at(EventIndex freed) const {
  const auto after = std::ranges::upper_bound(releases_, freed, {}, &PassRelease::event);
  if (after == releases_.begin()) return nullptr;
  const PassRelease& release = *std::prev(after);
  return freed < release.until ? &release : nullptr;
}

bool PassReleases::is_within_pass(EventIndex made, EventIndex freed) const {
  const auto next = std::ranges::lower_bound(releases_, freed, {}, &PassRelease::event);
  return next != releases_.end() && made >= next->first;
}

} // namespace memviz
