#include "analysis/causes/repeated_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace memviz {

namespace {

using CountBySize = std::map<std::uint64_t, std::uint64_t>; // number of blocks by requested bytes

CountBySize counts_of(std::span<const std::uint64_t> sizes) {
  CountBySize counts;
  for (const std::uint64_t bytes : sizes)
    ++counts[bytes];
  return counts;
}

/// Returns how often the state that one line made, in its order, has each parameter of its sizes; 1 if it begins with
/// more than one for a parameter, as a line does that makes two states of each; 0 where a size has no parameter.
std::uint64_t sets_of(std::span<const std::uint64_t> state, const CountBySize& parameters) {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t one_set = 0;
  const CountBySize counts = counts_of(state);
  for (const auto& [bytes, count] : counts) {
    const auto found = parameters.find(bytes);
    if (found == parameters.end()) return 0;
    one_set += found->second;
    fewest = std::min(fewest, count / found->second);
  }
  if (fewest < 2 || one_set < 2) return std::min<std::uint64_t>(fewest, 1);
  const CountBySize first = counts_of(state.first(static_cast<std::size_t>(one_set)));
  const bool has_each_once =
      std::ranges::all_of(first, [&](const auto& size) { return size.second == parameters.at(size.first); });
  return has_each_once ? fewest : 1;
}

} // namespace

Cause repeated_state(std::span<const LiveBlock> blocks) {
  CountBySize parameters;
  std::map<StackId, std::vector<std::uint64_t>> states;
  for (const LiveBlock& block : blocks) {
    if (block.kind == MemoryKind::parameter) ++parameters[block.bytes];
    if (block.kind == MemoryKind::optimizer_state) states[block.stack].push_back(block.bytes);
  }
  std::map<StackId, std::uint64_t> sets;
  for (const auto& [stack, sizes] : states)
    sets[stack] = sets_of(sizes, parameters);
  CauseSum sum;
  std::uint64_t most = 0;
  for (const LiveBlock& block : blocks) {
    const auto found = block.kind == MemoryKind::optimizer_state ? sets.find(block.stack) : sets.end();
    if (found == sets.end() || found->second < 2) continue;
    sum.add(block);
    most = std::max(most, found->second);
  }
  Cause cause = sum.cause(CauseKind::repeated_state);
  cause.calls = most;
  return cause;
}

} // namespace memviz
