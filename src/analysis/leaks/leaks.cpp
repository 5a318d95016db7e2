#include "memviz/leaks.hpp"

#include "analysis/leaks/step_floors.hpp"
#include "memviz/error.hpp"
#include "value/saturating.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace memviz {

namespace {

/// More stacks than this are not worth a look at each: the largest are looked at.
constexpr std::size_t kMostStacks = 1024;

/// The stacks whose floors rose at all, those that rose most first.
std::vector<const KindFloors*> candidates_of(const StepFloors& floors) {
  struct Candidate {
    const KindFloors* kind;
    std::uint64_t risen_bytes;
  };
  std::vector<Candidate> found;
  for (const KindFloors& kind : floors.kinds) {
    std::uint64_t lowest = kind.before_bytes;
    std::uint64_t highest = kind.before_bytes;
    for (const StepSample& sample : kind.samples) {
      lowest = std::min(lowest, sample.floor_bytes);
      highest = std::max({highest, sample.floor_bytes, sample.start_bytes});
    }
    if (highest > lowest) found.push_back({&kind, highest - lowest});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& left, const Candidate& right) { return left.risen_bytes > right.risen_bytes; });
  found.resize(std::min(found.size(), kMostStacks));
  std::vector<const KindFloors*> result;
  for (const Candidate& candidate : found)
    result.push_back(candidate.kind);
  return result;
}

StackGrowth growth_of(const KindFloors& kind, std::size_t steps) {
  StackGrowth growth;
  growth.stack = kind.kind.stack;
  growth.size_bytes = kind.kind.size_bytes;
  growth.floor_bytes = kind.by_step(&StepSample::floor_bytes, steps);
  growth.trend = trend_of(growth.floor_bytes);
  if (growth.trend.kind == TrendKind::none) return growth;
  growth.start_bytes = kind.by_step(&StepSample::start_bytes, steps);
  growth.end_bytes = kind.end_bytes;
  growth.end_blocks = kind.end_blocks;
  growth.burst = kind.burst;
  return growth;
}

/// What PyTorch had and could have had when the device said no: reserved memory and what the device had left.
std::optional<std::uint64_t> capacity_at_oom(const EventTable& events, const DeviceStats& stats) {
  if (stats.last_oom_event < 0) return std::nullopt;
  const auto oom = static_cast<std::size_t>(stats.last_oom_event);
  std::uint64_t reserved_bytes = stats.reserved_bytes;
  for (std::size_t i = events.size(); i-- > oom;) {
    const std::uint64_t bytes = events.size_bytes(i);
    switch (events.action(i)) {
    case Action::segment_alloc:
    case Action::segment_map: reserved_bytes -= std::min(reserved_bytes, bytes); break;
    case Action::segment_free:
    case Action::segment_unmap: reserved_bytes = saturating_sum(reserved_bytes, bytes); break;
    default: break;
    }
  }
  const std::uint64_t capacity = saturating_sum(reserved_bytes, events.address(oom));
  // cudaMemGetInfo that failed leaves any number.
  return capacity <= kMaxTotalBytes ? std::optional(capacity) : std::nullopt;
}

std::uint64_t highest_floor(const StackGrowth& growth) {
  return *std::max_element(growth.floor_bytes.begin(), growth.floor_bytes.end());
}

/// Whether a backward pass runs in the steps: the autograd engine is in a stack of theirs.
bool has_backward(const FrameTable& frames, const StepFloors& floors) {
  return std::any_of(floors.kinds.begin(), floors.kinds.end(), [&](const KindFloors& kind) {
    const auto stack = frames.stack(kind.kind.stack);
    return !kind.samples.empty() && std::any_of(stack.begin(), stack.end(), [&](FrameId frame) {
      return frames.name(frame).find("torch::autograd::Engine") != std::string_view::npos;
    });
  });
}

/// The layers of one pass repeat like steps do; what they keep is no leak.
Doubt doubt_of(const FrameTable& frames, const StepFloors& floors, const DeviceLeaks& leaks) {
  constexpr std::size_t kMany = 4;
  if (leaks.steps.source != StepSource::repetition || leaks.grows.empty()) return Doubt::none;
  if (2 * leaks.trend.bytes_per_step < static_cast<double>(leaks.bytes_per_step())) return Doubt::offset;
  constexpr std::uint64_t kNextToNothing = 10; // one in ten
  if (floors.freed_bytes < floors.allocated_bytes / kNextToNothing) return Doubt::loading;
  const bool is_many = leaks.grows.size() >= kMany && 2 * leaks.grows.size() >= leaks.steps.anchors;
  return is_many && !has_backward(frames, floors) ? Doubt::one_pass : Doubt::none;
}

DeviceLeaks leaks_of(const Snapshot& snapshot, const DeviceStats& stats, const LeakOptions& options) {
  const EventTable& events = snapshot.traces[stats.device];
  DeviceLeaks result;
  result.device = stats.device;
  result.events = events.size();
  result.steps = find_steps(snapshot, stats.device, options.steps);
  result.capacity_bytes = options.capacity_bytes ? options.capacity_bytes : capacity_at_oom(events, stats);
  if (result.capacity_bytes)
    result.capacity_source = options.capacity_bytes ? CapacitySource::given : CapacitySource::oom;
  const std::size_t count = result.steps.starts.size();
  if (count < kFewestSteps) return result;

  StepFloors floors = step_floors(snapshot.frames, events, result.steps.starts, stats.baseline_bytes);
  result.stacks = floors.kinds.size();
  for (const KindFloors* kind : candidates_of(floors)) {
    StackGrowth growth = growth_of(*kind, count);
    switch (growth.trend.kind) {
    case TrendKind::grows: result.grows.push_back(std::move(growth)); break;
    case TrendKind::stopped: result.stopped.push_back(std::move(growth)); break;
    case TrendKind::late_frees: result.late_frees.push_back(std::move(growth)); break;
    case TrendKind::none: break;
    }
  }
  std::stable_sort(result.grows.begin(), result.grows.end(), [](const StackGrowth& left, const StackGrowth& right) {
    return left.trend.bytes_per_step > right.trend.bytes_per_step;
  });
  for (auto* list : {&result.stopped, &result.late_frees})
    std::stable_sort(list->begin(), list->end(), [](const StackGrowth& left, const StackGrowth& right) {
      return highest_floor(left) > highest_floor(right);
    });
  result.trend = trend_of(floors.floor_bytes);
  result.doubt = doubt_of(snapshot.frames, floors, result);
  if (result.doubt != Doubt::none) result.doubtful.swap(result.grows);
  result.floor_bytes = std::move(floors.floor_bytes);
  result.peak_bytes = std::move(floors.peak_bytes);
  return result;
}

/// A name that no annotation has would make every device look as if it had no steps.
void check_annotation(const Snapshot& snapshot, const LeakOptions& options, const std::vector<DeviceLeaks>& devices) {
  if (options.steps.source != StepSource::annotation) return;
  const bool is_found =
      std::any_of(devices.begin(), devices.end(), [](const DeviceLeaks& leaks) { return !leaks.steps.starts.empty(); });
  if (is_found || devices.empty()) return;
  if (snapshot.annotations.empty()) throw UsageError("--steps annotation: the recording has no annotations");
  throw UsageError(fmt::format("--steps annotation:{}: no such annotation begins while events are recorded; the "
                               "recording has, for example, '{}'",
                               options.steps.annotation, snapshot.frames.text(snapshot.annotations.front().name)));
}

} // namespace

std::int64_t StackGrowth::growth_bytes() const {
  return static_cast<std::int64_t>(floor_bytes.back()) - static_cast<std::int64_t>(floor_bytes.front());
}

std::uint64_t DeviceLeaks::bytes_per_step() const {
  double sum = 0;
  for (const StackGrowth& growth : grows)
    sum += std::max(0.0, growth.trend.bytes_per_step);
  return static_cast<std::uint64_t>(std::llround(sum));
}

std::optional<std::uint64_t> DeviceLeaks::steps_left() const {
  const std::uint64_t growth_bytes = bytes_per_step();
  if (!capacity_bytes || growth_bytes == 0 || peak_bytes.size() < 2) return std::nullopt;
  // The last step may be cut short before its peak.
  const std::uint64_t peak = std::max(peak_bytes.back(), peak_bytes[peak_bytes.size() - 2]);
  return peak >= *capacity_bytes ? 0 : (*capacity_bytes - peak) / growth_bytes;
}

std::vector<DeviceLeaks> find_leaks(const Snapshot& snapshot, const Replay& replay, const LeakOptions& options) {
  std::vector<DeviceLeaks> result;
  for (const DeviceStats& stats : replay.devices) {
    if (options.device && *options.device != stats.device) continue;
    if (stats.device >= snapshot.traces.size() || snapshot.traces[stats.device].empty()) continue;
    result.push_back(leaks_of(snapshot, stats, options));
  }
  check_annotation(snapshot, options, result);
  return result;
}

} // namespace memviz
