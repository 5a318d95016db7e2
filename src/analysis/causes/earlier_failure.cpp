#include "analysis/causes/earlier_failure.hpp"

#include <cstddef>
#include <optional>

namespace memviz {

namespace {

/// Whether cuDNN catches the error of this event. Stacks without C++ show a convolution, and that the same call of the
/// model goes on. `next`: the next allocation.
bool is_of_search(const EventTable& events, std::size_t error, std::optional<std::size_t> next,
                  CallLineFinder& finder) {
  const CallLines& asks = finder.of(events.stack(error));
  if ((asks.marks & cause_mark::convolution_plan) != 0) return true;
  if ((asks.marks & cause_mark::convolution) == 0 || !next) return false;
  const CallLines& goes_on = finder.of(events.stack(*next));
  return goes_on.is_in_module && goes_on.line.call == asks.line.call && goes_on.line.caller == asks.line.caller;
}

} // namespace

Cause earlier_failure(const EventTable& events, std::size_t count, std::span<const LiveBlock> blocks,
                      CallLineFinder& finder) {
  std::size_t last = count;
  std::optional<std::size_t> next;
  for (; last > 0; --last) {
    const Action action = events.action(last - 1);
    if (action == Action::oom && !is_of_search(events, last - 1, next, finder)) break;
    if (action == Action::alloc) next = last - 1;
  }
  CauseSum sum;
  for (const LiveBlock& block : blocks)
    if (last > 0 && !block.alloc_event.is_none() && block.alloc_event < EventIndex(last - 1) && !block.is_lasting() &&
        block.lines->is_in_module)
      sum.add(block);
  return sum.cause(CauseKind::earlier_failure);
}

} // namespace memviz
