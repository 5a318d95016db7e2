#pragma once

// --from and --to of `trace`, two moments -> the events between them, by device.

#include "cli/file_options.hpp"
#include "cli/snapshot_file.hpp"
#include "memviz/moment_choice.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace memviz::cli {

struct TraceEnds {
  std::optional<MomentChoice> from;
  std::optional<MomentChoice> to;
};

/// The ranges of the devices that `accounts` has, both ends included. A device without an out-of-memory error has
/// nothing from there on, and all up to there. Throws UsageError for a moment that the file does not have,
/// and for ends of which the first comes after the last on all devices.
[[nodiscard]] std::map<DeviceId, EventRange> trace_ranges(const TraceEnds& ends, const Loaded& file,
                                                          const FileOptions& options, std::optional<DeviceId> device);

} // namespace memviz::cli
