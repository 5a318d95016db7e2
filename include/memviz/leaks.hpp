#pragma once

// The events of a recording, cut into steps -> the stacks whose live bytes grow from step to step. The number that is
// compared is the floor: the lowest live bytes of a stack in each step. It does not depend on where a step is cut, and
// what lives within a step only, as activations do, has a floor of 0.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

enum class StepSource : std::uint8_t {
  none,       ///< no steps found; steps_note() says why
  annotation, ///< the STARTs of an annotation
  repetition, ///< the repeating order of the allocations
  events,     ///< a number of events
  time,       ///< a length of time
};

/// The way to find where steps begin; `none` tries annotations first, then repetition.
struct StepChoice {
  StepSource source = StepSource::none;
  std::string annotation;   ///< a name; one that ends in * stands for all that begin so
  std::uint64_t length = 0; ///< events, or microseconds
};

/// The steps of one device. The last one ends with the recording and need not be whole.
struct Steps {
  StepSource source = StepSource::none;
  std::string name = {}; ///< of the annotation; "ProfilerStep#*" where they are numbered
  /// Index of the first event of each step, ascending; at most kMostSteps.
  std::vector<std::uint64_t> starts = {};
  std::uint64_t left_out = 0; ///< earlier ones, beyond kMostSteps
  std::uint64_t anchors = 0;  ///< of `repetition`: how many stacks allocate once a step
  std::uint64_t marks = 0;    ///< of `annotation`: how many there are; not all have events of this device behind them
  std::uint64_t later_marks = 0; ///< of these, since the first event: those before may have lost theirs in the ring
  /// Declared, marked for this purpose, or at an annotation and each with a forward and a backward pass.
  bool are_known = false;
  bool have_both_passes = false; ///< most steps of `repetition` contain a forward and a backward pass

  /// Findings in such steps are never certain.
  [[nodiscard]] bool is_guess() const { return source != StepSource::none && !are_known; }
  /// The layers of one forward or backward pass repeat as steps do.
  [[nodiscard]] bool may_be_layers() const { return is_guess() && !have_both_passes; }
};

inline constexpr std::size_t kMostSteps = 1024;
/// To distinguish growth from chance, and to be sure of it.
inline constexpr std::size_t kFewestSteps = 3;
inline constexpr std::size_t kFewestSureSteps = 8;

enum class TrendKind : std::uint8_t {
  none,       ///< does not grow, or grew once
  grows,      ///< rises again and again until the end
  stopped,    ///< rose and stays: a cache that is full
  late_frees, ///< rises for several steps, then falls at once, to where it was: reference cycles
  replaced,   ///< rises, but with larger blocks instead of those that are freed: a cache that grows by cat()
};

/// The confidence that growth is not chance. Of stacks that hold now more, now less, and do not leak (16 kinds of
/// them simulated, 8 to 400 steps, 11,200 runs) fewer than 1 in 1,000 are `high` (none was) and fewer than 1 in 100
/// `medium` (2 in 1,000 were).
enum class Confidence : std::uint8_t {
  low,
  medium, ///< at least 7 rises without a fall, or a drift of about 4 standard errors
  high,   ///< at least 16 rises without a fall, or a drift of about 6; never of steps that are a guess
};

/// The change of bytes over steps.
struct Trend {
  TrendKind kind = TrendKind::none;
  double bytes_per_step = 0; ///< of the part that grows; robust: a quarter of its steps may be odd ones
  std::uint64_t rises = 0;   ///< steps that begin higher than the one before
  std::uint64_t falls = 0;
  std::uint64_t last_rise = 0;   ///< the step that rose last
  std::size_t first_step = 0;    ///< of `grows`: the step in which that begins
  std::size_t longest_pause = 1; ///< of `grows`: the most steps from one rise to the next
  Confidence confidence = Confidence::low;
};

/// Bytes at equal phase, step by step -> how they change. `none` for fewer than kFewestSteps.
[[nodiscard]] Trend trend_of(const std::vector<std::uint64_t>& bytes);

/// The most that was freed in one step, for growth that ends in late frees.
struct FreeBurst {
  std::uint64_t step = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  StackId stack = kNoFrames; ///< of the last of these frees
};

/// The evidence that a stack grows.
enum class GrowthSign : std::uint8_t {
  floor,     ///< its lowest bytes of each step
  survivors, ///< what it allocated in each step and is alive at the end, older than all that was freed; below noise
};

struct StackGrowth {
  StackId stack = kNoFrames;
  std::uint64_t size_bytes = 0;           ///< without a stack: of each allocation, which is all that distinguishes them
  std::uint64_t first_bytes = 0;          ///< its floor in the first step
  std::uint64_t last_bytes = 0;           ///< and in the last
  std::vector<std::uint64_t> floor_bytes; ///< by step; empty, as the next two, far down a long list
  std::vector<std::uint64_t> start_bytes; ///< live where each step begins
  std::vector<std::uint64_t> survivor_bytes; ///< allocated in each step and live at the end
  std::uint64_t end_bytes = 0;               ///< live at the end of the recording
  std::uint64_t end_blocks = 0;
  Trend trend;
  GrowthSign sign = GrowthSign::floor;
  std::uint64_t seen_steps = 0; ///< that rose, or that left something behind
  std::uint64_t of_steps = 0;   ///< of those that the sign was looked for in
  FreeBurst burst;
};

/// Why stacks that grow are not called a leak, where the steps are a guess.
enum class Doubt : std::uint8_t {
  none,
  one_pass, ///< no step has a forward and a backward pass, and what grows is much, or what a pass has to keep
  loading,  ///< next to nothing is freed: a model is loaded
  offset,   ///< as much is freed elsewhere: the backward pass turns activations into gradients
};

enum class CapacitySource : std::uint8_t { unknown, given, oom };

/// The findings on one device. Lists are sorted by what they hold most of, largest first.
struct DeviceLeaks {
  DeviceId device;
  Steps steps;
  std::uint64_t events = 0;
  std::uint64_t stacks = 0; ///< that were looked at
  /// Live requested bytes by step, baseline included.
  std::vector<std::uint64_t> floor_bytes;
  std::vector<std::uint64_t> peak_bytes;
  Trend trend; ///< of floor_bytes
  std::vector<StackGrowth> grows;
  std::vector<StackGrowth> doubtful; ///< that grow, but see `doubt`
  Doubt doubt = Doubt::none;
  std::vector<StackGrowth> stopped;
  std::vector<StackGrowth> late_frees;
  std::vector<StackGrowth> replaced;
  std::optional<std::uint64_t> capacity_bytes; ///< what PyTorch can have of the device
  CapacitySource capacity_source = CapacitySource::unknown;

  /// To say whether anything grows.
  [[nodiscard]] bool has_enough_steps() const { return steps.starts.size() >= kFewestSteps; }
  /// Returns the number of stacks in `grows` that the verdict is about: those with more than Confidence::low if there
  /// are any, else all.
  [[nodiscard]] std::size_t judged_stacks() const;
  /// Whether a stack grows that is more than Confidence::low.
  [[nodiscard]] bool is_sure() const;
  /// Returns the bytes that all stacks grow by in a step; only of those with more than Confidence::low if there are
  /// any.
  [[nodiscard]] std::uint64_t bytes_per_step() const;
  /// Until the peak of a step no longer fits, if nothing but that growth changes; nullopt where that is unknown.
  [[nodiscard]] std::optional<std::uint64_t> steps_left() const;
};

struct LeakOptions {
  StepChoice steps;
  std::optional<DeviceId> device;
  std::optional<std::uint64_t> capacity_bytes;
};

/// One entry for each device with events; the recording holds them. Throws UsageError where the
/// choice of steps names an annotation that is not there, or times that the events do not have.
[[nodiscard]] std::vector<DeviceLeaks> find_leaks(const MemoryState& state, const LeakOptions& options);

enum class Gate : std::uint8_t {
  passes,
  exceeded,
  no_steps,      ///< none that are known, so that nothing can be said
  idle,          ///< hardly any of the steps has events of this device: it cannot grow with them
  too_few_steps, ///< something grows by more, in fewer than kFewestSureSteps
};

/// Whether a device grows by more than `most_bytes` a step, as far as that is sure.
[[nodiscard]] Gate gate_of(const DeviceLeaks& leaks, std::uint64_t most_bytes);

} // namespace memviz
