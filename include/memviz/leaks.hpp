#pragma once

// The events of a recording, cut into steps -> the stacks whose live bytes grow from step to step. The number that is
// compared is the floor: the lowest live bytes of a stack in each step. It does not depend on where a step is cut, and
// what lives within a step only, as activations do, has a floor of 0.

#include "memviz/replay.hpp"
#include "memviz/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

enum class StepSource : std::uint8_t {
  none,       ///< no steps found; Steps::note says why
  annotation, ///< the STARTs of an annotation
  repetition, ///< the repeating order of the allocations
  events,     ///< a number of events
  time,       ///< a length of time
};

/// Where steps begin; `none` is to find them: annotations first, then repetition.
struct StepChoice {
  StepSource source = StepSource::none;
  std::string annotation;   ///< a name; one that ends in * stands for all that begin so
  std::uint64_t length = 0; ///< events, or microseconds
};

/// The steps of one device. The last one ends with the recording and need not be whole.
struct Steps {
  StepSource source = StepSource::none;
  std::string name; ///< of the annotation; "ProfilerStep#*" where they are numbered
  /// Index of the first event of each step, ascending; at most kMostSteps.
  std::vector<std::uint64_t> starts;
  std::uint64_t left_out = 0; ///< earlier ones, beyond kMostSteps
  std::uint64_t anchors = 0;  ///< of `repetition`: how many stacks allocate once a step
  std::string note;
};

inline constexpr std::size_t kMostSteps = 1024;
/// To tell growth from an accident.
inline constexpr std::size_t kFewestSteps = 3;

/// Throws UsageError where the choice names an annotation that is not there, or times that the events do not have.
[[nodiscard]] Steps find_steps(const Snapshot& snapshot, std::uint32_t device, const StepChoice& choice);

enum class TrendKind : std::uint8_t {
  none,       ///< does not grow, or grew once
  grows,      ///< rises again and again until the end
  stopped,    ///< rose and stays: a cache that is full
  late_frees, ///< rises for several steps, then falls at once, to where it was: reference cycles
};

/// How bytes change over steps.
struct Trend {
  TrendKind kind = TrendKind::none;
  double bytes_per_step = 0; ///< robust: half of the steps may be odd ones
  std::uint64_t rises = 0;   ///< steps that begin higher than the one before
  std::uint64_t falls = 0;
  std::uint64_t last_rise = 0; ///< the step that rose last
  double confidence = 0;       ///< of `grows`: share of the steps that rose, or of the rises that came in time
};

/// Bytes at equal phase, step by step -> how they change. `none` for fewer than kFewestSteps.
[[nodiscard]] Trend trend_of(const std::vector<std::uint64_t>& bytes);
/// "high", "medium" or "low"
[[nodiscard]] std::string_view confidence_word(double confidence, std::size_t steps);

/// The most that was freed in one step, for growth that ends in late frees.
struct FreeBurst {
  std::uint64_t step = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  StackId stack = kNoFrames; ///< of the last of these frees
};

struct StackGrowth {
  StackId stack = kNoFrames;
  std::uint64_t size_bytes = 0;           ///< without a stack: of each allocation, which is all that tells them apart
  std::vector<std::uint64_t> floor_bytes; ///< by step
  std::vector<std::uint64_t> start_bytes; ///< live where each step begins
  std::uint64_t end_bytes = 0;            ///< live at the end of the recording
  std::uint64_t end_blocks = 0;
  Trend trend;
  FreeBurst burst;

  [[nodiscard]] std::int64_t growth_bytes() const;
};

/// Why stacks that grow are not called a leak, where the steps were found by repetition only.
enum class Doubt : std::uint8_t {
  none,
  one_pass, ///< many grow together without a backward pass: the layers of one forward pass repeat, too
  loading,  ///< next to nothing is freed: a model is loaded
  offset,   ///< as much is freed elsewhere: the backward pass turns activations into gradients
};

enum class CapacitySource : std::uint8_t { unknown, given, oom };

/// What was found on one device. Lists are sorted by what they hold most of, largest first.
struct DeviceLeaks {
  std::uint32_t device = 0;
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
  std::optional<std::uint64_t> capacity_bytes; ///< what PyTorch can have of the device
  CapacitySource capacity_source = CapacitySource::unknown;

  /// Of all stacks that grow.
  [[nodiscard]] std::uint64_t bytes_per_step() const;
  /// Until the peak of a step no longer fits, if nothing but that growth changes; nullopt where that is unknown.
  [[nodiscard]] std::optional<std::uint64_t> steps_left() const;
};

struct LeakOptions {
  StepChoice steps;
  std::optional<std::uint32_t> device;
  std::optional<std::uint64_t> capacity_bytes;
};

/// One entry for each device with events; `snapshot.traces` holds them. Throws as find_steps() does.
[[nodiscard]] std::vector<DeviceLeaks> find_leaks(const Snapshot& snapshot, const Replay& replay,
                                                  const LeakOptions& options);

/// For people, at most 100 columns wide but for names; and for programs.
[[nodiscard]] std::string leaks_text(const std::string& file, const Snapshot& snapshot,
                                     const std::vector<DeviceLeaks>& devices);
[[nodiscard]] std::string leaks_json(const std::string& file, const Snapshot& snapshot,
                                     const std::vector<DeviceLeaks>& devices, const std::vector<std::string>& warnings);

} // namespace memviz
