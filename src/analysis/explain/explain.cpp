#include "memviz/explain.hpp"

#include "analysis/tree/user_lines.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

namespace {

const EventTable& events_of(const Snapshot& state, std::uint32_t device) {
  static const EventTable none;
  return device < state.traces.size() ? state.traces[device] : none;
}

std::optional<Request> failed_request(const EventTable& events, const Moment& moment) {
  if (moment.is_end() || moment.event < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(moment.event);
  if (index >= events.size() || events.action(index) != Action::oom) return std::nullopt;
  return request_of(events[index], moment.event);
}

DeviceExplanation explain_device(const Snapshot& state, const Replay& replay, const DeviceStats& stats,
                                 const Snapshot& start, const ExplainOptions& options) {
  const EventTable& events = events_of(state, stats.device);
  DeviceExplanation result;
  result.stats = stats;
  result.settings = allocator_settings(state);
  result.request = failed_request(events, stats.at);
  if (result.request) result.asking_line = UserLines(state, replay).line_of(result.request->stack);
  result.ledger = memory_ledger(state, stats.device, result.request, options.capacity_bytes);
  result.judgement = judge(result.ledger, result.request, result.settings);
  result.users = rank_user_lines(state, replay, stats.device);
  PinOptions pins;
  pins.device = stats.device;
  result.pins = find_pins(state, replay, pins);
  result.growth = growth_before(state, replay, stats);
  const std::size_t count = std::min(events.size(), static_cast<std::size_t>(stats.at.event + 1));
  const Recording recording{
      .start = start, .state = state, .events = events, .event_count = count, .device = stats.device};
  result.fidelity = check_model(recording, result.settings);
  result.what_ifs = what_if(recording, {result.request, result.settings, result.fidelity, result.judgement.verdict});
  return result;
}

} // namespace

Snapshot before_first_event(Snapshot& snapshot) {
  std::vector<Segment> segments = snapshot.segments;
  std::vector<Block> blocks = snapshot.blocks;
  MomentChoice choice;
  choice.kind = MomentKind::event; // -1: before the first one
  static_cast<void>(rewind(snapshot, choice));
  Snapshot start;
  start.segments = std::exchange(snapshot.segments, std::move(segments));
  start.blocks = std::exchange(snapshot.blocks, std::move(blocks));
  return start;
}

std::vector<DeviceExplanation> explain(const Snapshot& state, const Replay& replay, const Snapshot& start,
                                       const ExplainOptions& options) {
  std::vector<DeviceExplanation> result;
  for (const DeviceStats& stats : replay.devices)
    if (!options.device || *options.device == stats.device)
      result.push_back(explain_device(state, replay, stats, start, options));
  std::stable_partition(result.begin(), result.end(),
                        [](const DeviceExplanation& device) { return device.request.has_value(); });
  return result;
}

} // namespace memviz
