#pragma once

// --from and --to of `trace`, two moments -> the events between them, by device.

#include "cli/arguments.hpp"
#include "cli/moment.hpp"
#include "memviz/replay.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace memviz::cli {

struct TraceEnds {
  std::optional<MomentRequest> from;
  std::optional<MomentRequest> to;
};

/// Throws UsageError for what is no moment.
[[nodiscard]] TraceEnds trace_ends(const Arguments& arguments);

/// The ranges of the devices that `accounts` has, both ends included. A device without an out-of-memory error has
/// nothing from there on, and all up to there. Throws UsageError for a moment that `file` does not have,
/// and for ends of which the first comes after the last on all devices.
[[nodiscard]] std::map<std::uint32_t, EventRange> trace_ranges(const TraceEnds& ends, const std::string& file,
                                                               const MemoryState& state,
                                                               std::optional<std::uint32_t> device);

} // namespace memviz::cli
