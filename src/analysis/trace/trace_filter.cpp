#include "analysis/trace/trace_filter.hpp"

#include "analysis/tree/frame_selection.hpp"

#include <algorithm>

namespace memviz {

namespace {

TreeOptions stack_options(const std::string& expression) {
  TreeOptions options;
  options.focus = expression;
  return options;
}

EventRange range_of(const TraceFilter& filter, DeviceId device) {
  const auto found = filter.range.find(device);
  return found == filter.range.end() ? EventRange{} : found->second;
}

bool is_in_time(const EventRange& range, std::optional<std::int64_t> time_us) {
  if (!range.first_us && !range.last_us) return true;
  return time_us && (!range.first_us || *time_us >= *range.first_us) && (!range.last_us || *time_us <= *range.last_us);
}

} // namespace

TraceSieve::TraceSieve(const TraceFilter& filter, const FrameTable& frames) : filter_(filter) {
  if (filter.stack.empty()) return;
  FrameSelection selection(frames, stack_options(filter.stack), "--stack");
  for (std::uint32_t id = 0; id < frames.stack_count(); ++id)
    matches_.push_back(selection.is_in_focus({id}));
}

bool TraceSieve::is_at_address(const Event& event, const std::optional<AllocationLife>& life) const {
  const TraceAddress& wanted = *filter_.address;
  if (event.action == Action::oom || event.action == Action::snapshot) return false;
  if (wanted.name) {
    return life && life->address == wanted.address && life->use == wanted.name->use &&
           life->is_segment == wanted.name->is_segment;
  }
  return wanted.address == event.address ||
         (wanted.address > event.address && wanted.address - event.address < event.size_bytes);
}

bool TraceSieve::wants(DeviceId device, std::uint64_t index, const Event& event,
                       const std::optional<AllocationLife>& life) const {
  const EventRange range = range_of(filter_, device);
  if (EventIndex(index) < range.first_event || EventIndex(index) > range.last_event ||
      !is_in_time(range, event.time_us))
    return false;
  if (!filter_.actions.empty() && std::ranges::find(filter_.actions, event.action) == filter_.actions.end())
    return false;
  if (event.size_bytes < filter_.min_bytes || (filter_.stream && event.stream != *filter_.stream)) return false;
  return (!filter_.address || is_at_address(event, life)) && (matches_.empty() || matches_[event.stack.value]);
}

bool TraceSieve::wants(const Annotation& annotation, std::uint64_t next_event) const {
  if (!filter_.annotations) return false;
  const EventRange range = range_of(filter_, annotation.device);
  const bool is_after_begin = range.first_event == EventIndex(0) || EventIndex(next_event) > range.first_event;
  return is_after_begin && EventIndex(next_event) <= range.last_event && is_in_time(range, annotation.time_us);
}

} // namespace memviz
