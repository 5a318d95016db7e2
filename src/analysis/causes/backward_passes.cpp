#include "analysis/causes/backward_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace memviz {

namespace {

bool is_backward(const CallLines& lines) {
  return (lines.marks & mark::engine) != 0;
}

/// Whether the same lines call the model.
bool are_of_one_site(const CallLines& one, const CallLines& other) {
  return one.line.call == other.line.call && one.line.caller == other.line.caller &&
         one.script_line == other.script_line;
}

} // namespace

bool has_backward(const EventTable& events, std::span<const EventIndex> backward, const CallLines& request,
                  std::span<const LiveBlock> pass, CallLineFinder& finder) {
  if (is_backward(request)) return true;
  if (pass.empty() || backward.empty()) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(backward.back().value()); ++i) {
    if (events.action(i) != Action::alloc) continue;
    const CallLines& lines = finder.of(events.stack(i));
    if (lines.is_in_module && !is_backward(lines) && are_of_one_site(lines, *pass.back().lines)) return true;
  }
  return false;
}

bool keeps_graph(std::span<const LiveBlock> pass) {
  constexpr std::ptrdiff_t kFewestStacks = 5;
  constexpr std::uint64_t kFewestBlocks = 3;
  std::map<StackId, std::uint64_t> counts;
  for (const LiveBlock& block : pass)
    ++counts[block.stack];
  return std::ranges::count_if(counts, [](const auto& count) { return count.second >= kFewestBlocks; }) >=
         kFewestStacks;
}

} // namespace memviz
