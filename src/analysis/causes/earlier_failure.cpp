#include "analysis/causes/earlier_failure.hpp"

namespace memviz {

namespace {

/// Whether cuDNN catches the error of this event. Stacks without C++ show a convolution, and that the same call of the
/// model goes on.
bool is_of_search(const EventTable& events, std::size_t error, std::size_t count, CallLineFinder& finder) {
  const CallLines asks = finder.of(events.stack(error));
  if ((asks.marks & cause_mark::convolution_plan) != 0) return true;
  if ((asks.marks & cause_mark::convolution) == 0) return false;
  for (std::size_t i = error + 1; i < count; ++i) {
    if (events.action(i) != Action::alloc) continue;
    const CallLines& next = finder.of(events.stack(i));
    return next.is_in_module && next.line.call == asks.line.call && next.line.caller == asks.line.caller;
  }
  return false;
}

} // namespace

Cause earlier_failure(const EventTable& events, std::size_t count, std::span<const LiveBlock> blocks,
                      CallLineFinder& finder) {
  std::size_t last = count;
  while (last > 0 && (events.action(last - 1) != Action::oom || is_of_search(events, last - 1, count, finder)))
    --last;
  CauseSum sum;
  for (const LiveBlock& block : blocks)
    if (last > 0 && !block.alloc_event.is_none() && block.alloc_event < EventIndex(last - 1) && !block.is_lasting() &&
        block.lines->is_in_module)
      sum.add(block);
  return sum.cause(CauseKind::earlier_failure);
}

} // namespace memviz
