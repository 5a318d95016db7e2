#include "analysis/causes/earlier_failure.hpp"

#include "analysis/causes/caught_errors.hpp"

#include <cstddef>

namespace memviz {

Cause earlier_failure(const EventTable& events, std::size_t count, std::span<const LiveBlock> blocks,
                      CallLineFinder& finder) {
  std::size_t last = count;
  const CallLines* next = nullptr; // of the next allocation
  for (; last > 0; --last) {
    const Action action = events.action(last - 1);
    if (action == Action::oom && !is_of_search(finder.of(events.stack(last - 1)), next)) break;
    if (action == Action::alloc) next = &finder.of(events.stack(last - 1));
  }
  CauseSum sum;
  for (const LiveBlock& block : blocks)
    if (last > 0 && !block.alloc_event.is_none() && block.alloc_event < EventIndex(last - 1) && !block.is_lasting() &&
        block.lines->is_in_module)
      sum.add(block);
  return sum.cause(CauseKind::earlier_failure);
}

} // namespace memviz
