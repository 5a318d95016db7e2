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

/// The state that one line made, in its order.
using State = std::vector<const LiveBlock*>;

bool may_be_parameter(const LiveBlock& block) {
  return block.kind == MemoryKind::parameter || block.kind == MemoryKind::parameter_or_state ||
         block.kind == MemoryKind::unknown;
}

/// load_state_dict() may make several states of each parameter at one line; what is older than the recording
/// has no line.
bool is_of_line(const LiveBlock& block) {
  return block.kind == MemoryKind::optimizer_state && !block.alloc_event.is_none() && !block.has(mark::load_state);
}

/// A line makes state for each parameter of its sizes `count` times, `blocks_of_one` blocks each.
struct Sets {
  std::uint64_t count = 0;
  std::uint64_t blocks_of_one = 0;
};

Sets sets_of(const State& state, const CountBySize& parameters) {
  CountBySize counts;
  for (const LiveBlock* block : state)
    ++counts[block->bytes];
  Sets sets{std::numeric_limits<std::uint64_t>::max(), 0};
  for (const auto& [bytes, count] : counts) {
    const auto found = parameters.find(bytes);
    if (found == parameters.end()) return {};
    sets.blocks_of_one += found->second;
    sets.count = std::min(sets.count, count / found->second);
  }
  return sets;
}

/// Whether a backward pass ran between the end of each set and the beginning of the next.
bool are_apart(const State& state, const Sets& sets, std::span<const EventIndex> backward) {
  for (std::uint64_t i = 1; i < sets.count; ++i) {
    const auto begin = static_cast<std::size_t>(i * sets.blocks_of_one);
    const auto next = std::ranges::upper_bound(backward, state[begin - 1]->alloc_event);
    if (next == backward.end() || state[begin]->alloc_event < *next) return false;
  }
  return true;
}

} // namespace

Cause repeated_state(std::span<const LiveBlock> blocks, std::span<const EventIndex> backward) {
  CountBySize parameters;
  std::map<StackId, State> states;
  for (const LiveBlock& block : blocks) {
    if (may_be_parameter(block)) ++parameters[block.bytes];
    if (is_of_line(block)) states[block.stack].push_back(&block);
  }
  CauseSum sum;
  std::uint64_t most_bytes = 0;
  std::uint64_t count = 0;
  for (const auto& [stack, state] : states) {
    const Sets sets = sets_of(state, parameters);
    if (sets.count < 2 || !are_apart(state, sets, backward)) continue;
    std::uint64_t bytes = 0;
    for (const LiveBlock* block : state) {
      sum.add(*block);
      bytes += block->bytes;
    }
    if (bytes > most_bytes) count = sets.count;
    most_bytes = std::max(most_bytes, bytes);
  }
  Cause cause = sum.cause(CauseKind::repeated_state);
  cause.calls = count;
  return cause;
}

} // namespace memviz
