#pragma once

// Two passes over the events -> a trace for Perfetto, in its own protobuf format: for each device, counters of live and
// reserved bytes, slices of annotations and of steps, and an instant for each out-of-memory error. Memory does not grow
// with the events. Source: protos/perfetto/trace/ of github.com/google/perfetto.

#include "memviz/export.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/second_pass.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

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

} // namespace memviz
