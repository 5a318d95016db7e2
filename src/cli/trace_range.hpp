#pragma once

// --from and --to of `trace` -> the events between them, by device.

#include "memviz/replay.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace memviz::cli {

/// One end of a range as the command line names it: event:N, time:US, annotation:NAME[#K], oom, peak or end.
struct TraceEnd {
  enum class Kind : std::uint8_t { event, time, annotation, oom, peak, end } kind = Kind::end;
  std::uint64_t event = 0;
  std::int64_t time_us = 0;
  std::string name;
  std::uint64_t number = 1; ///< of the annotation, counted from 1
};

/// Throws UsageError that says what `option` may be.
[[nodiscard]] TraceEnd parse_trace_end(std::string_view option, const std::string& text);

struct TraceEnds {
  std::optional<TraceEnd> from;
  std::optional<TraceEnd> to;
};

/// Throws UsageError for an annotation that the file does not have, or when no device that is wanted has the event.
[[nodiscard]] std::map<std::uint32_t, EventRange> trace_ranges(const TraceEnds& ends, const Snapshot& snapshot,
                                                               const std::vector<DeviceStats>& devices);

} // namespace memviz::cli
