#include "memviz/leaks.hpp"

#include "analysis/calls/kept_calls.hpp"
#include "analysis/steps/growth.hpp"
#include "analysis/steps/step_floors.hpp"
#include "analysis/steps/steps.hpp"
#include "base/saturating.hpp"
#include "memviz/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace memviz {

namespace {

/// The maximum number of stacks that are examined: the largest ones.
constexpr std::size_t kMostStacks = 1024;

/// Returns the stacks whose floors rose at all, those that rose most first.
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
  std::ranges::stable_sort(
      found, [](const Candidate& left, const Candidate& right) { return left.risen_bytes > right.risen_bytes; });
  found.resize(std::min(found.size(), kMostStacks));
  std::vector<const KindFloors*> result;
  for (const Candidate& candidate : found)
    result.push_back(candidate.kind);
  return result;
}

/// Returns what PyTorch had or could have had when the device refused: reserved memory plus what the device had left.
std::optional<std::uint64_t> capacity_at_oom(const EventTable& events, const DeviceState& device_state) {
  if (device_state.last_oom_event.is_none()) return std::nullopt;
  const auto oom = static_cast<std::size_t>(device_state.last_oom_event.value());
  std::uint64_t reserved_bytes = device_state.figures.reserved_bytes;
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
  // A failed cudaMemGetInfo leaves an arbitrary number.
  return capacity <= kMaxTotalBytes ? std::optional(capacity) : std::nullopt;
}

std::uint64_t highest_floor(const StackGrowth& growth) {
  return *std::ranges::max_element(growth.floor_bytes);
}

/// Whether a pass in progress has to keep it, or it is loaded before a pass.
bool is_needed_by_pass(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter:
  case MemoryKind::gradient:
  case MemoryKind::optimizer_state:
  case MemoryKind::activation:
  case MemoryKind::parameter_or_state: return true;
  default: return false;
  }
}

/// Returns the series of those that hold most. Their length is proportional to the steps, so the number kept is bounded
/// by the events.
void keep_series(std::vector<StackGrowth>& growths, std::size_t steps) {
  constexpr std::size_t kMostNumbers = 16384;
  const std::size_t kept = std::max<std::size_t>(16, kMostNumbers / steps);
  for (std::size_t i = kept; i < growths.size(); ++i)
    for (auto* series : {&growths[i].floor_bytes, &growths[i].start_bytes, &growths[i].survivor_bytes})
      std::vector<std::uint64_t>().swap(*series);
}

/// Memory at the moment that lasts longer than a step.
struct LastingMemory {
  std::uint64_t parameter_bytes = 0; ///< with what may be an optimizer's state
  bool is_training = false;          ///< whether there are gradients or an optimizer's state
};

LastingMemory lasting_memory(const MemoryState& state, DeviceId device) {
  LastingMemory lasting;
  if (!state.has_kinds) return lasting;
  for (const Segment& segment : state.segments_of(device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      if (!state.blocks[i].is_active()) continue;
      const MemoryKind kind = state.facts[i].kind.kind;
      if (kind == MemoryKind::parameter || kind == MemoryKind::parameter_or_state)
        lasting.parameter_bytes += state.blocks[i].requested_bytes;
      lasting.is_training |= kind == MemoryKind::gradient || kind == MemoryKind::optimizer_state;
    }
  }
  return lasting;
}

class LeakFinder {
public:
  LeakFinder(const MemoryState& state, const LeakOptions& options)
      : state_(state), capacity_bytes_(options.capacity_bytes), steps_(*state.recording, options.steps),
        kinds_(kinds_by_stack(state)), calls_(state.frames()) {}

  [[nodiscard]] DeviceLeaks leaks_of(const DeviceState& device_state);

private:
  [[nodiscard]] Doubt doubt_of(const StepFloors& floors, const DeviceLeaks& leaks);
  [[nodiscard]] bool is_of_kept_calls(const DeviceLeaks& leaks);
  [[nodiscard]] bool may_be_one_pass(const StepFloors& floors, const DeviceLeaks& leaks) const;
  void reconsider(StackGrowth& growth, const DeviceLeaks& leaks);
  void add_trends(DeviceLeaks& result, const StepFloors& floors);

  const MemoryState& state_;
  std::optional<std::uint64_t> capacity_bytes_;
  StepFinder steps_;
  std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_; ///< the kinds of live memory in the state
  CallLineFinder calls_;
  LastingMemory lasting_; ///< of the current device
};

/// Decides again by facts that steps do not show. An optimizer makes its state when a parameter has its first gradient:
/// each line of it makes at most one value for each parameter, so it ends. What torch.cat() extends in each step of a
/// training does not: a request's cache would end with the request.
void LeakFinder::reconsider(StackGrowth& growth, const DeviceLeaks& leaks) {
  constexpr std::uint64_t kLargestValue = 2; // bytes, of those of a parameter: float32 next to bfloat16
  const auto kind = kinds_.find({leaks.device, growth.stack});
  const bool is_state = kind != kinds_.end() && kind->second == MemoryKind::optimizer_state;
  if (growth.trend.kind == TrendKind::grows && is_state && growth.end_bytes <= kLargestValue * lasting_.parameter_bytes)
    growth.trend.kind = TrendKind::stopped;
  const bool is_cat = (calls_.of(growth.stack).marks & mark::cat) != 0;
  if (growth.trend.kind == TrendKind::replaced && is_cat && lasting_.is_training && growth.trend.falls == 0 &&
      leaks.steps.are_known)
    growth.trend.kind = TrendKind::grows;
}

/// Whether growth in steps without both passes may be what a pass keeps: its kind says so, many lines grow together, or
/// it is not a small part of everything allocated.
bool LeakFinder::may_be_one_pass(const StepFloors& floors, const DeviceLeaks& leaks) const {
  constexpr std::uint64_t kSmallPart = 32; // one in so many
  constexpr std::size_t kMany = 4;
  if (!leaks.steps.may_be_layers()) return false;
  if (leaks.grows.size() >= kMany && 2 * leaks.grows.size() >= leaks.steps.anchors) return true;
  if (leaks.bytes_per_step() > floors.allocated_bytes / kSmallPart / leaks.steps.starts.size()) return true;
  return std::ranges::any_of(leaks.grows, [&](const StackGrowth& growth) {
    const auto kind = kinds_.find({leaks.device, growth.stack});
    return kind != kinds_.end() && is_needed_by_pass(kind->second);
  });
}

/// Whether the stack that grows most is the line of calls that keep memory: then the steps are no layers of one call.
bool LeakFinder::is_of_kept_calls(const DeviceLeaks& leaks) {
  const CalledLine& line = calls_.of(leaks.grows.front().stack).line;
  return std::ranges::any_of(leaks.kept, [&](const Cause& cause) { return line.line && cause.line == line; });
}

/// The layers of one pass repeat like steps do; what they keep is not a leak.
Doubt LeakFinder::doubt_of(const StepFloors& floors, const DeviceLeaks& leaks) {
  if (!leaks.steps.is_guess() || leaks.grows.empty()) return Doubt::none;
  if (2 * leaks.trend.bytes_per_step < static_cast<double>(leaks.bytes_per_step())) return Doubt::offset;
  constexpr std::uint64_t kNextToNothing = 10; // one in ten
  if (floors.freed_bytes < floors.allocated_bytes / kNextToNothing && !is_of_kept_calls(leaks)) return Doubt::loading;
  if (is_of_kept_calls(leaks)) return Doubt::none;
  return may_be_one_pass(floors, leaks) ? Doubt::one_pass : Doubt::none;
}

/// Adds the stacks whose floors rose to the lists of the device.
void LeakFinder::add_trends(DeviceLeaks& result, const StepFloors& floors) {
  for (const KindFloors* kind : candidates_of(floors)) {
    StackGrowth growth = growth_of(*kind, result.steps.starts.size());
    if (result.steps.is_guess()) growth.trend.confidence = std::min(growth.trend.confidence, Confidence::medium);
    reconsider(growth, result);
    switch (growth.trend.kind) {
    case TrendKind::grows: result.grows.push_back(std::move(growth)); break;
    case TrendKind::stopped: result.stopped.push_back(std::move(growth)); break;
    case TrendKind::late_frees: result.late_frees.push_back(std::move(growth)); break;
    case TrendKind::replaced: result.replaced.push_back(std::move(growth)); break;
    case TrendKind::none: break;
    }
  }
}

DeviceLeaks LeakFinder::leaks_of(const DeviceState& device_state) {
  const EventTable& events = state_.recording->events_of(device_state.device);
  DeviceLeaks result;
  result.device = device_state.device;
  result.events = events.size();
  result.steps = steps_.steps_of(device_state.device);
  result.capacity_bytes = capacity_bytes_ ? capacity_bytes_ : capacity_at_oom(events, device_state);
  if (result.capacity_bytes) result.capacity_source = capacity_bytes_ ? CapacitySource::given : CapacitySource::oom;
  result.requested_bytes = device_state.figures.requested_bytes;
  result.kept = kept_at_moment(state_, device_state, calls_);
  const std::size_t count = result.steps.starts.size();
  if (count < kFewestSteps) return result;

  StepFloors floors = step_floors(state_.frames(), events, result.steps.starts, device_state.figures.baseline_bytes);
  result.stacks = floors.kinds.size();
  lasting_ = lasting_memory(state_, device_state.device);
  add_trends(result, floors);
  std::ranges::stable_sort(result.grows, [](const StackGrowth& left, const StackGrowth& right) {
    const auto is_sure = [](const StackGrowth& growth) { return growth.trend.confidence > Confidence::low; };
    if (is_sure(left) != is_sure(right)) return is_sure(left);
    return left.trend.bytes_per_step > right.trend.bytes_per_step;
  });
  for (auto* list : {&result.stopped, &result.late_frees, &result.replaced})
    std::ranges::stable_sort(*list, [](const StackGrowth& left, const StackGrowth& right) {
      return highest_floor(left) > highest_floor(right);
    });
  for (auto* list : {&result.grows, &result.stopped, &result.late_frees, &result.replaced})
    keep_series(*list, count);
  result.trend = trend_of(floors.floor_bytes);
  result.doubt = doubt_of(floors, result);
  if (result.doubt != Doubt::none) result.doubtful.swap(result.grows);
  result.floor_bytes = std::move(floors.floor_bytes);
  result.peak_bytes = std::move(floors.peak_bytes);
  return result;
}

} // namespace

bool DeviceLeaks::is_sure() const {
  return std::ranges::any_of(grows,
                             [](const StackGrowth& growth) { return growth.trend.confidence > Confidence::low; });
}

std::size_t DeviceLeaks::judged_stacks() const {
  if (!is_sure()) return grows.size();
  const auto first_low = std::find_if(
      grows.begin(), grows.end(), [](const StackGrowth& growth) { return growth.trend.confidence == Confidence::low; });
  return static_cast<std::size_t>(first_low - grows.begin());
}

std::uint64_t DeviceLeaks::bytes_per_step() const {
  const bool sure_only = is_sure();
  double sum = 0;
  for (const StackGrowth& growth : grows)
    if (!sure_only || growth.trend.confidence > Confidence::low) sum += std::max(0.0, growth.trend.bytes_per_step);
  return static_cast<std::uint64_t>(std::llround(sum));
}

std::optional<std::uint64_t> DeviceLeaks::steps_left() const {
  const std::uint64_t growth_bytes = bytes_per_step();
  if (!capacity_bytes || growth_bytes == 0 || peak_bytes.size() < 2) return std::nullopt;
  // The last step may end before its peak.
  const std::uint64_t peak = std::max(peak_bytes.back(), peak_bytes[peak_bytes.size() - 2]);
  return peak >= *capacity_bytes ? 0 : (*capacity_bytes - peak) / growth_bytes;
}

Gate gate_of(const DeviceLeaks& leaks, std::uint64_t most_bytes) {
  const Steps& steps = leaks.steps;
  if (steps.starts.size() < kFewestSteps) return steps.later_marks < kFewestSteps ? Gate::no_steps : Gate::idle;
  if (steps.is_guess()) return Gate::no_steps;
  if (leaks.bytes_per_step() <= most_bytes) return Gate::passes;
  if (leaks.is_sure()) return Gate::exceeded;
  return steps.starts.size() < kFewestSureSteps ? Gate::too_few_steps : Gate::passes;
}

std::vector<DeviceLeaks> find_leaks(const MemoryState& state, const LeakOptions& options) {
  LeakFinder finder(state, options);
  std::vector<DeviceLeaks> result;
  for (const DeviceState& device_state : state.devices) {
    if (options.device && *options.device != device_state.device) continue;
    if (state.recording->events_of(device_state.device).empty()) continue;
    result.push_back(finder.leaks_of(device_state));
  }
  const bool is_any = std::ranges::any_of(result, [](const DeviceLeaks& leaks) { return !leaks.steps.starts.empty(); });
  if (!result.empty() && !is_any) check_annotation(*state.recording, options.steps);
  return result;
}

void add_keepers(std::vector<DeviceLeaks>& devices, const Recording& recording) {
  const auto has_growth = [](const DeviceLeaks& leaks) { return !leaks.grows.empty() || !leaks.doubtful.empty(); };
  if (!recording.keepers.is_recorded || std::ranges::none_of(devices, has_growth)) return;
  const KeeperAnswers answers(recording);
  for (DeviceLeaks& leaks : devices) {
    if (!has_growth(leaks)) continue;
    std::map<StackId, StackKeeper> of_stacks = answers.of_stacks(leaks.device);
    for (const auto* const growths : {&leaks.grows, &leaks.doubtful})
      for (const StackGrowth& growth : *growths)
        if (auto keeper = of_stacks.extract(growth.stack)) leaks.keepers.insert(std::move(keeper));
  }
}

} // namespace memviz
