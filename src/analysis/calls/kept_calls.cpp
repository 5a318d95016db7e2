#include "analysis/calls/kept_calls.hpp"

#include "base/hash_map.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace memviz {

namespace {

/// A line that calls a module or allocates without one.
struct Site {
  std::optional<FrameId> call;
  std::optional<FrameId> caller;
  bool is_in_module = false;
  friend auto operator<=>(const Site&, const Site&) = default;
};

/// The calls of a site: how many there were, and those whose blocks are alive.
struct Calls {
  std::uint64_t count = 0;
  std::map<std::uint64_t, std::vector<const LiveBlock*>> alive; ///< by number of the call, from 1 on
};

Site site_of(const CallLines& lines) {
  return {lines.line.call, lines.line.caller, lines.is_in_module};
}

bool counts(const LiveBlock& block) {
  return !block.is_lasting() && block.lines->line.line && !block.lines->is_in_constructor && !block.has(mark::engine) &&
         !block.has(mark::optimizer_file) && !block.has(cause_mark::deep_copy) && !block.has(mark::checkpoint_file);
}

/// Goes through the events once and assigns each block to a call of its site.
class CallCounter {
public:
  CallCounter(const LiveHistory& history, CallLineFinder& finder) : history_(history), finder_(finder) {}

  [[nodiscard]] std::map<Site, Calls> sites() {
    auto next = history_.blocks.begin();
    while (next != history_.blocks.end() && next->alloc_event.is_none())
      ++next;
    for (std::size_t i = 0; i < history_.event_count; ++i) {
      if (history_.events.action(i) != Action::alloc) continue;
      const OfStack& of_stack = facts_of(history_.events.stack(i));
      if (of_stack.is_backward) backward_.emplace_back(i);
      Calls& calls = *of_stack.calls;
      if (&calls != last_) ++calls.count;
      last_ = &calls;
      for (; next != history_.blocks.end() && next->alloc_event <= EventIndex(i); ++next)
        if (next->alloc_event == EventIndex(i) && counts(*next)) calls.alive[calls.count].push_back(&*next);
    }
    return std::move(sites_);
  }

  [[nodiscard]] const std::vector<EventIndex>& backward() const { return backward_; }

  /// Whether a backward pass allocated between the first and the last of the calls that are alive.
  [[nodiscard]] bool has_backward_between(const Calls& calls) const {
    if (calls.alive.empty()) return false;
    const EventIndex first = calls.alive.begin()->second.front()->alloc_event;
    const EventIndex last = std::prev(calls.alive.end())->second.front()->alloc_event;
    const auto next = std::ranges::upper_bound(backward_, first);
    return next != backward_.end() && *next < last;
  }

private:
  struct OfStack {
    Calls* calls = nullptr; ///< in sites_; null: not examined
    bool is_backward = false;
  };

  const OfStack& facts_of(StackId stack) {
    if (by_stack_.size() <= stack.value) by_stack_.resize(stack.value + std::size_t{1});
    OfStack& known = by_stack_[stack.value];
    if (known.calls == nullptr) {
      const CallLines& lines = finder_.of(stack);
      known = {&sites_[site_of(lines)], (lines.marks & mark::engine) != 0};
    }
    return known;
  }

  const LiveHistory& history_;
  CallLineFinder& finder_;
  std::map<Site, Calls> sites_;
  std::vector<OfStack> by_stack_;
  std::vector<EventIndex> backward_; ///< its allocations
  Calls* last_ = nullptr;
};

/// Whether the calls from the first one that is alive have left memory, except a few, and the last one, which may still
/// run. A backward pass frees what is not kept; without one, a step may have two or three forward passes.
bool are_kept(const Calls& calls, bool has_backward, bool has_failed) {
  if (calls.alive.empty()) return false;
  constexpr std::uint64_t kFewestWithoutFailure = 8;
  const std::uint64_t fewest = !has_failed ? kFewestWithoutFailure : has_backward ? 2 : 3;
  const std::uint64_t earlier = calls.alive.size() - (calls.alive.contains(calls.count) ? 1U : 0U);
  const std::uint64_t since = calls.count - calls.alive.begin()->first;
  return earlier >= fewest && earlier * 5 >= since * 4;
}

/// Whether the calls keep what a backward pass needs: several blocks of different stacks within a module.
bool are_graphs(const Site& site, const Calls& calls) {
  constexpr std::size_t kFewest = 3;
  std::set<StackId> stacks;
  const std::vector<const LiveBlock*>& first = calls.alive.begin()->second;
  for (const LiveBlock* block : first)
    stacks.insert(block->stack);
  return site.is_in_module && stacks.size() > 1 && first.size() >= kFewest;
}

/// Whether calls that leave memory go on until the recording ends, judged by the usual distance between them.
bool go_on(const Calls& calls, const EventTable& events) {
  constexpr std::uint64_t kLongest = 3;
  const std::uint64_t first = calls.alive.begin()->second.front()->alloc_event.value();
  const std::uint64_t last = std::prev(calls.alive.end())->second.front()->alloc_event.value();
  const std::uint64_t usual = (last - first) / std::max<std::uint64_t>(calls.alive.size() - 1, 1);
  return events.size() - last <= kLongest * (usual + 1);
}

/// The sum of a kind of cause over its sites.
struct KeptSum {
  CauseSum sum;
  std::uint64_t calls = 0;
  std::uint64_t most_bytes = 0;
  bool has_backward = false;
};

/// Adds the blocks of all calls but the last one; returns their bytes.
std::uint64_t add_earlier(CauseSum& sum, std::unordered_set<std::uint64_t>& addresses, const Calls& calls) {
  std::uint64_t bytes = 0;
  for (const auto& [number, blocks] : calls.alive) {
    if (number == calls.count) continue;
    for (const LiveBlock* block : blocks) {
      sum.add(*block);
      addresses.insert(block->address);
      bytes += block->bytes;
    }
  }
  return bytes;
}

void add_made_at_once(CauseSum& sum, const Calls& calls) {
  constexpr std::size_t kMany = 100;
  for (const auto& [number, blocks] : calls.alive)
    if (blocks.size() >= kMany)
      for (const LiveBlock* block : blocks)
        sum.add(*block);
}

} // namespace

KeptCalls kept_calls(const LiveHistory& history, CallLineFinder& finder) {
  KeptCalls found;
  KeptSum graphs;
  KeptSum outputs;
  CauseSum at_once;
  CallCounter counter(history, finder);
  const std::map<Site, Calls> sites = counter.sites();
  found.backward = counter.backward();
  for (const auto& [site, calls] : sites) {
    if (!site.call) continue;
    const bool has_backward = counter.has_backward_between(calls);
    if (!are_kept(calls, has_backward, history.has_failed)) {
      if (!site.is_in_module) add_made_at_once(at_once, calls);
      continue;
    }
    const bool is_graph = are_graphs(site, calls);
    if (!is_graph && !history.has_failed && !go_on(calls, history.events)) continue;
    KeptSum& kept = is_graph ? graphs : outputs;
    const std::uint64_t bytes = add_earlier(kept.sum, found.blocks, calls);
    kept.has_backward |= has_backward;
    if (bytes <= kept.most_bytes) continue;
    kept.most_bytes = bytes;
    kept.calls = calls.alive.size() - (calls.alive.contains(calls.count) ? 1U : 0U);
  }
  found.causes.push_back(at_once.cause(CauseKind::made_at_once));
  for (const auto& [kept, kind] :
       {std::pair(&graphs, CauseKind::kept_graphs), std::pair(&outputs, CauseKind::kept_outputs)}) {
    Cause cause = kept->sum.cause(kind);
    cause.calls = kept->calls;
    cause.has_backward = kept->has_backward;
    found.causes.push_back(cause);
  }
  return found;
}

namespace {

/// Whether the program ended, as far as recorded, with a request that failed.
bool ends_with_failure(const EventTable& events, const DeviceState& device_state) {
  if (device_state.last_oom_event.is_none()) return false;
  const auto failed = static_cast<std::size_t>(device_state.last_oom_event.value());
  for (std::size_t i = failed; i < events.size(); ++i)
    if (events.action(i) == Action::alloc) return false;
  return true;
}

void remove_freed_later(std::vector<LiveBlock>& blocks, const EventTable& events, std::size_t event_count) {
  HashMap<std::uint64_t, bool> freed;
  for (std::size_t i = event_count; i < events.size(); ++i)
    if (events.action(i) == Action::free_completed || events.action(i) == Action::free_requested)
      freed.add(events.address(i));
  if (freed.empty()) return;
  std::erase_if(blocks, [&](const LiveBlock& block) { return freed.contains(block.address); });
}

} // namespace

std::vector<Cause> kept_at_moment(const MemoryState& state, const DeviceState& device_state, CallLineFinder& finder) {
  if (!state.has_kinds) return {};
  const EventTable& events = state.recording->events_of(device_state.device);
  const std::size_t count = std::min(events.size(), static_cast<std::size_t>(device_state.moment.event.count()));
  std::vector<LiveBlock> blocks = live_blocks(state, device_state.device, finder);
  remove_freed_later(blocks, events, count);
  std::vector<Cause> causes =
      kept_calls({events, count, blocks, ends_with_failure(events, device_state)}, finder).causes;
  std::erase_if(causes, [&](const Cause& cause) {
    return cause.kind == CauseKind::made_at_once || cause.bytes == 0 ||
           cause.bytes < device_state.figures.requested_bytes / kLeastPartOfCause;
  });
  std::ranges::stable_sort(causes, std::ranges::greater(), &Cause::bytes);
  return causes;
}

} // namespace memviz
