#pragma once

// The events of a recording, cut into steps -> the stacks whose live bytes grow from step to step. The compared number
// is the floor: the lowest live bytes of a stack in each step. It does not depend on where steps are cut, and memory
// that lives only within a step, as activations do, has a floor of 0.

#include "memviz/causes.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
  std::string annotation;   ///< a name; a final * matches any ending
  std::uint64_t length = 0; ///< events, or microseconds
};

/// The steps of one device. The last one ends with the recording and may be incomplete.
struct Steps {
  StepSource source = StepSource::none;
  std::string name = {}; ///< of the annotation; "ProfilerStep#*" where they are numbered
  /// Index of the first event of each step, ascending; at most kMostSteps.
  std::vector<std::uint64_t> starts = {};
  std::uint64_t left_out = 0;    ///< earlier ones, beyond kMostSteps
  std::uint64_t anchors = 0;     ///< for `repetition`: how many stacks allocate once per step
  std::uint64_t marks = 0;       ///< for `annotation`: how many there are; some may have no events of this device
  std::uint64_t later_marks = 0; ///< those after the first event: earlier ones may have lost theirs in the ring
  /// Whether the steps are certain: declared, marked for this purpose, or at an annotation with a forward and a
  /// backward pass each.
  bool are_known = false;
  bool have_both_passes = false; ///< for `repetition`: most steps contain a forward and a backward pass

  /// Whether the steps are a guess, so that findings in them are never certain: the layers of one forward or backward
  /// pass repeat as steps do.
  [[nodiscard]] bool is_guess() const { return source != StepSource::none && !are_known; }
  /// The layers of one forward or backward pass repeat as steps do.
  [[nodiscard]] bool may_be_layers() const { return is_guess() && !have_both_passes; }
};

inline constexpr std::size_t kMostSteps = 1024;
/// Distinguishes growth from chance.
inline constexpr std::size_t kFewestSteps = 3;
inline constexpr std::size_t kFewestSureSteps = 8;

enum class TrendKind : std::uint8_t {
  none,       ///< does not grow, or grew once
  grows,      ///< rises again and again until the end
  stopped,    ///< rose and stays: a cache that is full, or an optimizer's state, which ends with the last parameter
  late_frees, ///< rises for several steps, then falls back at once: reference cycles
  replaced,   ///< rises because larger blocks replace freed ones: a cache that grows by cat(), outside training
};

/// The confidence that growth is not chance. Among stacks that vary without leaking (16 kinds simulated, 8 to 400
/// steps, 11,200 runs), fewer than 1 in 1,000 are `high` (none was) and fewer than 1 in 100 `medium` (2 in 1,000 were).
enum class Confidence : std::uint8_t {
  low,
  medium, ///< at least 7 rises without a fall, or a drift of about 4 standard errors
  high,   ///< at least 16 rises without a fall, or a drift of about 6; never if the steps are a guess
};

/// The change of bytes over steps.
struct Trend {
  TrendKind kind = TrendKind::none;
  double bytes_per_step = 0; ///< of the growing part; robust: a quarter of its steps may be outliers
  std::uint64_t rises = 0;   ///< steps that begin higher than the previous one
  std::uint64_t falls = 0;
  std::uint64_t last_rise = 0;   ///< the last step that rose
  std::size_t first_step = 0;    ///< for `grows`: the step in which the growth begins
  std::size_t longest_pause = 1; ///< for `grows`: the largest distance between two rises, in steps
  Confidence confidence = Confidence::low;
};

/// Classifies bytes at the same phase of each step. Returns `none` for fewer than kFewestSteps.
[[nodiscard]] Trend trend_of(const std::vector<std::uint64_t>& bytes);

/// The most bytes freed in one step, for growth that ends in late frees.
struct FreeBurst {
  std::uint64_t step = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  StackId stack = kNoFrames; ///< of the last of these frees
};

/// The evidence that a stack grows.
enum class GrowthSign : std::uint8_t {
  floor,     ///< its lowest bytes in each step
  survivors, ///< allocated in each step, alive at the end, and older than everything it freed; below noise
};

struct StackGrowth {
  StackId stack = kNoFrames;
  std::uint64_t size_bytes = 0;              ///< without a stack: the size of each allocation
  std::uint64_t first_bytes = 0;             ///< its floor in the first step
  std::uint64_t last_bytes = 0;              ///< and in the last
  std::vector<std::uint64_t> floor_bytes;    ///< by step; empty, like the next two, for stacks far down a long list
  std::vector<std::uint64_t> start_bytes;    ///< live where each step begins
  std::vector<std::uint64_t> survivor_bytes; ///< allocated in each step and live at the end
  std::uint64_t end_bytes = 0;               ///< live at the end of the recording
  std::uint64_t end_blocks = 0;
  Trend trend;
  GrowthSign sign = GrowthSign::floor;
  std::uint64_t seen_steps = 0; ///< steps that rose, or that left something
  std::uint64_t of_steps = 0;   ///< steps in which the sign was looked for
  FreeBurst burst;
};

/// Why growing stacks are not called a leak, if the steps are a guess.
enum class Doubt : std::uint8_t {
  none,
  one_pass, ///< no step has a forward and a backward pass, and the growth is large, or as expected of one pass
  loading,  ///< almost nothing is freed: a model is being loaded
  offset,   ///< as much is freed elsewhere: the backward pass turns activations into gradients
};

enum class CapacitySource : std::uint8_t { unknown, given, oom };

/// The findings on one device. Lists are sorted by their main figure, largest first.
struct DeviceLeaks {
  DeviceId device;
  Steps steps;
  std::uint64_t events = 0;
  std::uint64_t stacks = 0; ///< stacks that were examined
  /// Live requested bytes by step, baseline included.
  std::vector<std::uint64_t> floor_bytes;
  std::vector<std::uint64_t> peak_bytes;
  Trend trend; ///< of floor_bytes
  std::vector<StackGrowth> grows;
  std::vector<StackGrowth> doubtful; ///< growing stacks, but see `doubt`
  Doubt doubt = Doubt::none;
  std::vector<StackGrowth> stopped;
  std::vector<StackGrowth> late_frees;
  std::vector<StackGrowth> replaced;
  /// The kept_graphs and kept_outputs of earlier calls at the state's moment, largest first: found by calls, in steps
  /// or not, and by the rule of explain().
  std::vector<Cause> kept;
  std::uint64_t requested_bytes = 0;           ///< in use at that moment
  std::map<StackId, StackKeeper> keepers;      ///< of growing stacks at the end, by add_keepers()
  std::optional<std::uint64_t> capacity_bytes; ///< what PyTorch can get from the device
  CapacitySource capacity_source = CapacitySource::unknown;

  /// To say whether anything grows.
  [[nodiscard]] bool has_enough_steps() const { return steps.starts.size() >= kFewestSteps; }
  /// Returns the number of stacks in `grows` that the verdict is about: those above Confidence::low if there are any,
  /// else all.
  [[nodiscard]] std::size_t judged_stacks() const;
  /// Whether a stack with more than Confidence::low grows.
  [[nodiscard]] bool is_sure() const;
  /// Returns the bytes per step by which all stacks grow; only those above Confidence::low if there are any.
  [[nodiscard]] std::uint64_t bytes_per_step() const;
  /// Returns the number of steps until the peak no longer fits, if only that growth changes; nullopt if unknown.
  [[nodiscard]] std::optional<std::uint64_t> steps_left() const;
};

struct LeakOptions {
  StepChoice steps;
  std::optional<DeviceId> device;
  std::optional<std::uint64_t> capacity_bytes;
};

/// Returns one entry per device with events; the recording must hold them. Throws UsageError if the chosen steps use an
/// annotation that is not there, or times that the events do not have.
[[nodiscard]] std::vector<DeviceLeaks> find_leaks(const MemoryState& state, const LeakOptions& options);

/// Adds the keepers of the stacks that grow, if the recording has keepers.
void add_keepers(std::vector<DeviceLeaks>& devices, const Recording& recording);

enum class Gate : std::uint8_t {
  passes,
  exceeded,
  no_steps,      ///< no steps are known, so there is no answer
  idle,          ///< hardly any step has events of this device: it cannot grow with them
  too_few_steps, ///< something grows by more, in fewer than kFewestSureSteps
};

/// Whether a device grows by more than `most_bytes` per step, as far as that is certain.
[[nodiscard]] Gate gate_of(const DeviceLeaks& leaks, std::uint64_t most_bytes);

} // namespace memviz
