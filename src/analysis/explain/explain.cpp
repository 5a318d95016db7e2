#include "memviz/explain.hpp"

#include "analysis/calls/line_callers.hpp"
#include "analysis/causes/find_causes.hpp"
#include "analysis/explain/cache_release.hpp"
#include "analysis/explain/first_step.hpp"
#include "analysis/explain/growth.hpp"
#include "analysis/explain/judge_causes.hpp"
#include "analysis/explain/pass_memory.hpp"
#include "analysis/explain/pass_rest.hpp"
#include "analysis/explain/state_lines.hpp"
#include "analysis/tree/open_annotations.hpp"
#include "memviz/device_kind.hpp"
#include "memviz/leaks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace memviz {

namespace {

/// Returns nullopt if no steps are annotated, if growth is not certain, or if the growth over all steps is less than a
/// twentieth of live memory.
std::optional<StepLeak> step_leak(const MemoryState& state, const DeviceState& device_state, StateLines& names) {
  constexpr std::uint64_t kLeastPart = 20;
  if (state.recording->annotations.empty()) return std::nullopt;
  LeakOptions options;
  options.device = device_state.device;
  for (const DeviceLeaks& leaks : find_leaks(state, options)) {
    if (leaks.steps.is_guess() || !leaks.is_sure()) continue;
    StepLeak found;
    found.steps = leaks.steps.starts.size();
    found.bytes_per_step = leaks.bytes_per_step();
    if (found.bytes_per_step < device_state.figures.requested_bytes / kLeastPart / found.steps) continue;
    LineAmounts amounts;
    for (std::size_t i = 0; i < leaks.judged_stacks(); ++i) {
      const StackGrowth& growth = leaks.grows[i];
      const auto bytes = static_cast<std::uint64_t>(std::llround(std::max(0.0, growth.trend.bytes_per_step)));
      amounts.add(names.lines.line_of(growth.stack), {bytes, growth.end_blocks});
    }
    found.lines = amounts.ranked(names.order);
    found.stack = leaks.grows.front().stack;
    return found;
  }
  return std::nullopt;
}

/// Guesses the pool of a request whose event does not record it: the pool of the last allocation before it on its
/// stream, if that still exists. While a graph is captured, that is the graph's pool.
PoolId likely_pool(const MemoryState& state, DeviceId device, const Request& request) {
  const EventTable& events = state.recording->events_of(device);
  const auto segments = state.segments_of(device);
  for (auto i = static_cast<std::size_t>(request.event.value()); i > 0; --i) {
    if (events.action(i - 1) != Action::alloc || events[i - 1].stream != request.stream) continue;
    const std::uint64_t address = events.address(i - 1);
    const auto after = std::upper_bound(segments.begin(), segments.end(), address,
                                        [](std::uint64_t at, const Segment& segment) { return at < segment.address; });
    if (after == segments.begin()) return {};
    const Segment& segment = *std::prev(after);
    return address - segment.address < segment.total_bytes ? segment.pool : PoolId{};
  }
  return {};
}

std::optional<Request> failed_request(const MemoryState& state, DeviceId device, const Moment& moment) {
  const EventTable& events = state.recording->events_of(device);
  if (moment.is_end() || moment.event.is_none()) return std::nullopt;
  const auto index = static_cast<std::size_t>(moment.event.value());
  if (index >= events.size() || events.action(index) != Action::oom) return std::nullopt;
  Request request = request_of(events[index], moment.event);
  if (!request.pool_is_known) request.pool = likely_pool(state, device, request);
  return request;
}

const MeasuredDevice* measured_of(const MemoryState& state, DeviceId device) {
  const std::vector<MeasuredDevice>& all = state.recording->measured;
  const auto found = std::ranges::find(all, device, &MeasuredDevice::device);
  return found == all.end() ? nullptr : &*found;
}

/// Returns the device's capacity: given by the caller, else as CUDA reported it when the file was written, or from the
/// mark of a made-up device. Ignores a capacity smaller than what was in use.
std::optional<std::uint64_t> capacity_of(const ExplainOptions& options, const MemoryState& state,
                                         const DeviceState& device_state, const std::optional<Request>& request) {
  if (is_host(device_state.device)) return std::nullopt;
  if (options.capacity_bytes || device_state.device_kind == DeviceKind::cpu) return options.capacity_bytes;
  const MeasuredDevice* const measured = measured_of(state, device_state.device);
  const auto& rehearsal = state.recording->origin.rehearsal;
  auto total_bytes = measured != nullptr ? measured->total_bytes : std::nullopt;
  if (!total_bytes && rehearsal) total_bytes = rehearsal->total_bytes;
  const std::uint64_t free_bytes = request ? request->device_free_bytes.value_or(0) : 0;
  return total_bytes >= device_state.figures.reserved_bytes + free_bytes ? total_bytes : std::nullopt;
}

class Explainer {
public:
  Explainer(const MemoryState& state, const MemoryMap& start, const ExplainOptions& options)
      : state_(state), start_(start), options_(options), settings_(allocator_settings(state)), names_(state),
        calls_(state.frames()) {}

  [[nodiscard]] DeviceExplanation device(const DeviceState& device_state) {
    DeviceExplanation result;
    result.device_state = device_state;
    result.settings = settings_;
    step_.reset();
    blocks_.reset();
    result.request = failed_request(state_, device_state.device, device_state.moment);
    if (result.request) {
      result.asking_line = names_.lines.line_of(result.request->stack);
      if (result.request->time_us)
        result.open_annotations = open_annotations_at(*state_.recording, device_state.device, *result.request->time_us);
    }
    result.ledger = memory_ledger(state_, device_state.device, result.request,
                                  {capacity_of(options_, state_, device_state, result.request), settings_});
    if (const MeasuredDevice* const measured = measured_of(state_, device_state.device)) result.measured = *measured;
    result.judgement = judge(result.ledger, result.request, settings_);
    result.users = users(device_state.device);
    result.callers = callers_of_lines(state_, device_state.device, names_.lines, calls_);
    if (state_.has_kinds) result.kinds = kind_account(state_, device_state.device);
    PinOptions pins;
    pins.device = device_state.device;
    if (!device_state.are_segments_made_up) result.pins = find_pins(state_, names_, pins);
    result.growth = growth_before(state_, device_state, names_);
    result.leak = step_leak(state_, device_state, names_);
    const bool is_cpu = device_state.device_kind == DeviceKind::cpu;
    if (result.request && !is_cpu && !passes_) passes_.emplace(state_.frames());
    if (has_cuda_allocator(device_state.device_kind) && !device_state.are_segments_made_up) {
      ask_what_if(result);
    } else if (device_state.are_segments_made_up || (is_cpu && !is_host(device_state.device))) {
      // Segments of the CPU are exactly the program's requests.
      result.growth.reserving.clear();
      result.growth.reserved_bytes = 0;
    }
    if (result.request && !is_cpu) {
      const PassMemory memory =
          pass_memory(blocks_of(device_state.device), result.pass ? result.pass->start : EventIndex());
      step_ = first_step(state_, result, memory, *passes_);
      if (step_ && step_->gradients_to_come_bytes + step_->state_to_come_bytes > 0) result.first_step = step_;
      if (result.pass) result.pass->checkpointing_bytes = memory.checkpointing_bytes;
      if (result.first_step && result.pass) add_first_step(*result.pass, result);
    }
    if (!is_cpu)
      result.causes = find_causes(
          state_, result, result.request ? blocks_of(device_state.device) : std::span<const LiveBlock>(), calls_);
    if (result.request && !is_cpu) judge_changes(result);
    return result;
  }

private:
  void add(LineAmounts& amounts, const NodeKey& line, StackId stack, const Amount& amount) {
    amounts.add(line, amount);
    names_.lines.add_within(amounts, line, stack, amount);
  }

  [[nodiscard]] std::vector<UserLine> users(DeviceId device) {
    LineAmounts amounts;
    for (const Segment& segment : state_.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active())
          add(amounts, names_.lines.line_of(device, i), state_.blocks[i].stack, {state_.blocks[i].requested_bytes, 1});
    for (const OutsideMemory& outside : state_.device_at(device)->outside)
      add(amounts, names_.lines.line_of(device, outside), outside.stack,
          {outside.requested_bytes, outside.allocations});
    return amounts.ranked(names_.order);
  }

  /// Returns the blocks in use of the device that is explained.
  [[nodiscard]] std::span<const LiveBlock> blocks_of(DeviceId device) {
    if (!blocks_) blocks_ = live_blocks(state_, device, calls_);
    return *blocks_;
  }

  /// Returns, for each block of the state on the device, the bytes that `users` lists for its line.
  [[nodiscard]] std::vector<std::uint64_t> line_bytes(DeviceId device, const std::vector<UserLine>& users) {
    std::map<NodeKey, std::uint64_t> held;
    for (const UserLine& user : users)
      held.emplace(user.key, user.amount.bytes);
    std::vector<std::uint64_t> bytes(state_.blocks.size());
    for (const Segment& segment : state_.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) bytes[i] = held[names_.lines.line_of(device, i)];
    return bytes;
  }

  /// Raises what is still to come to the lower bound for a first step.
  static void add_first_step(PassNeed& pass, const DeviceExplanation& device) {
    const std::uint64_t live_bytes = device.device_state.figures.requested_bytes;
    const std::uint64_t needed_bytes = device.first_step->needed_bytes;
    if (pass.is_least() && needed_bytes > live_bytes)
      pass.to_come_bytes = std::max(pass.to_come_bytes, needed_bytes - live_bytes);
  }

  /// Finds the effects of removing causes, and of the ways to need less in a first step.
  void judge_changes(DeviceExplanation& result) {
    const LeadUp lead_up = lead_up_of(result.device_state);
    const JudgedFailure failure{result, step_ ? &*step_ : nullptr, lead_up, rest_, blocks_of(lead_up.device)};
    StepEstimator estimator(failure, calls_);
    const std::vector<StepEffect> effects = effects_of_removal(failure, estimator, calls_);
    for (std::size_t i = 0; i < effects.size(); ++i)
      result.causes[i].without = effects[i];
    if (result.first_step) judge_levers(*result.first_step, estimator.outlook(nullptr));
  }

  /// Returns where optimizers' steps have ended, else where forward passes follow backward passes.
  [[nodiscard]] std::vector<std::uint64_t> starts_of_passes(const EventTable& events) {
    std::vector<std::uint64_t> starts = ends_of_steps(*state_.recording, events);
    return starts.empty() ? pass_starts(passes_->changes_in(events)) : starts;
  }

  /// Whether gradients exist, and nothing shows that an optimizer has used any: passes so far show only a part of a
  /// step.
  [[nodiscard]] bool is_before_first_update(const DeviceExplanation& result) const {
    const auto bytes = [&](MemoryKind kind) { return result.kinds[static_cast<std::size_t>(kind)].bytes; };
    return bytes(MemoryKind::gradient) > 0 && bytes(MemoryKind::optimizer_state) == 0 &&
           !has_ended_a_step(*state_.recording, *result.request);
  }

  [[nodiscard]] PassRest what_follows(const LeadUp& lead_up, const Request& request, bool is_before_update) {
    std::vector<std::uint64_t> lasting; // events
    for (const LiveBlock& block : blocks_of(lead_up.device))
      if (block.is_lasting() && block.kind != MemoryKind::gradient && !block.alloc_event.is_none())
        lasting.push_back(static_cast<std::uint64_t>(block.alloc_event.value()));
    std::vector<std::uint64_t> starts;
    if (!is_before_update) starts = starts_of_passes(lead_up.events);
    return rest_of_pass(lead_up, request, starts, [&](std::size_t event) {
      return std::ranges::binary_search(lasting, event) ||
             (calls_.of(lead_up.events.stack(event)).marks & mark::init_state) != 0;
    });
  }

  [[nodiscard]] LeadUp lead_up_of(const DeviceState& device_state) const {
    const EventTable& events = state_.recording->events_of(device_state.device);
    return {.start = start_,
            .state = state_,
            .events = events,
            .event_count = std::min(events.size(), static_cast<std::size_t>(device_state.moment.event.count())),
            .device = device_state.device,
            .may_have_lost_events = device_state.figures.may_have_lost_events};
  }

  void ask_what_if(DeviceExplanation& result) {
    const DeviceState& device_state = result.device_state;
    const LeadUp lead_up = lead_up_of(device_state);
    result.judgement.missing_is_least =
        result.request && result.judgement.missing_bytes > 0 && missing_is_least(lead_up, *result.request, settings_);
    result.fidelity = check_model(lead_up, settings_);
    result.settings.free_block_order = result.fidelity.free_block_order.value_or(FreeBlockOrder::address);
    rest_ = {};
    if (result.request && passes_) {
      rest_ = what_follows(lead_up, *result.request, is_before_first_update(result));
      rest_.need.available_bytes = result.judgement.reachable_bytes;
      result.pass = rest_.need;
    }
    const auto held = result.request ? line_bytes(device_state.device, result.users) : std::vector<std::uint64_t>{};
    // No replay knows when another stream was done.
    const Verdict verdict = result.ledger.late_free_bytes > 0 ? Verdict::unclear : result.judgement.verdict;
    result.what_ifs = what_if(lead_up, {result.request, result.settings, result.fidelity, verdict, held, &rest_});
    LineAmounts amounts;
    for (const WhatIf& answer : result.what_ifs)
      for (const std::uint32_t block : answer.blocks)
        amounts.add(names_.lines.line_of(device_state.device, block), {state_.blocks[block].size_bytes, 1});
    result.in_the_way = amounts.ranked(names_.order);
  }

  const MemoryState& state_;
  const MemoryMap& start_;
  const ExplainOptions& options_;
  AllocatorSettings settings_;
  StateLines names_;
  CallLineFinder calls_;
  std::optional<PassFinder> passes_;             ///< if a request failed
  PassRest rest_;                                ///< of the last request
  std::optional<std::vector<LiveBlock>> blocks_; ///< of the device that is explained
  std::optional<FirstStep> step_;                ///< if the last request is part of it
};

std::vector<OtherDevice> less_used(const MemoryState& state, const DeviceExplanation& failed) {
  std::vector<OtherDevice> others;
  for (const DeviceState& device_state : state.devices) {
    const bool is_less = device_state.device_kind != DeviceKind::cpu && device_state.figures.reserved_bytes > 0 &&
                         device_state.figures.reserved_bytes < failed.ledger.reserved_bytes / 2;
    if (is_less) others.push_back({device_state.device, device_state.moment, device_state.figures.reserved_bytes});
  }
  return others;
}

} // namespace

std::vector<DeviceExplanation> explain(const MemoryState& state, const ExplainOptions& options) {
  std::vector<DeviceExplanation> result;
  const MemoryState start = before_first_event(state.recording);
  Explainer explainer(state, start, options);
  for (const DeviceState& device_state : state.devices)
    if (!options.device || *options.device == device_state.device) result.push_back(explainer.device(device_state));
  for (const auto& [device, keepers] : keepers_of(state))
    if (const auto of_device =
            std::ranges::find(result, device, [](const DeviceExplanation& one) { return one.device_state.device; });
        of_device != result.end())
      of_device->keepers = keepers;
  std::stable_partition(result.begin(), result.end(),
                        [](const DeviceExplanation& device) { return device.request.has_value(); });
  if (!result.empty() && result.front().request) result.front().less_used = less_used(state, result.front());
  return result;
}

} // namespace memviz
