#pragma once

// Two passes over the events -> a trace for Perfetto, in its own protobuf format: for each device, counters of live and
// reserved bytes, slices of annotations and of steps, and an instant for each out-of-memory error; states -> the stacks
// of live memory, as heap profiles; a trace of PyTorch's profiler (Kineto's, in Chrome's format) -> its slices. Memory
// does not grow with the events of a snapshot. Source: protos/perfetto/trace/ of github.com/google/perfetto.

#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/second_pass.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace memviz {

/// Sums from a first pass over the events.
class PerfettoSurvey final : public RestartCounter {
public:
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;

  /// The bytes of segments that a device's events allocate and map, minus those that they free.
  [[nodiscard]] std::int64_t segment_growth(DeviceId device) const;

private:
  std::map<DeviceId, std::int64_t> growth_;
};

/// Writes the trace. Receives the events of a SecondPass, after `survey` received those of the first.
class PerfettoTrace final : public EventSink {
public:
  /// Writes the tracks, annotations and steps of `device`, or of all. The references must outlive this object.
  PerfettoTrace(const MemoryState& state, const PerfettoSurvey& survey, std::optional<DeviceId> device, TextSink write);
  ~PerfettoTrace() override;
  PerfettoTrace(const PerfettoTrace&) = delete;
  PerfettoTrace& operator=(const PerfettoTrace&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override {}
  void finish();

private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

struct PerfettoStacks {
  const MemoryState& state;   ///< at moments of `kind`; devices at another moment are left out
  const TreeOptions& options; ///< the frames that take part; levels are ignored
  MomentKind kind = MomentKind::end;
};

/// Writes a heap profile of each device, after the tracks of PerfettoTrace for the same devices: the sum of its stacks
/// is the device's requested bytes. Throws the exceptions of build_frame_tree(), and Error for text out of proportion
/// to the file.
void write_perfetto_stacks(const PerfettoStacks& subject, const TextSink& write);

struct ProfilerTimes {
  std::uint64_t slices = 0;
  std::int64_t first_us = 0; ///< since 1970, as last_us; both are of the slices
  std::int64_t last_us = 0;
};

/// Writes the slices of a profiler's trace on the axis of memory, a track for each thread of each process. Memory is
/// that of the JSON as a document. Throws ParseError for invalid JSON, and Error for another file than such a trace.
ProfilerTimes write_perfetto_profile(std::string_view json, const TextSink& write);

} // namespace memviz
