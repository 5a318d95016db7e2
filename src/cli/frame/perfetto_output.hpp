#pragma once

// A snapshot, and a trace of PyTorch's profiler if there is one -> an output for Perfetto, by several passes over the
// snapshot: its counters, then the stacks at the peak, at the last error and at the end.

#include "answers/tree_options.hpp"
#include "cli/frame/file_options.hpp"
#include "memviz/device_id.hpp"

#include <optional>
#include <string>

namespace memviz::cli {

struct PerfettoOutput {
  const FileOptions& file;
  const std::string& snapshot;
  std::string output;     ///< - is standard output
  const TreeChoice& tree; ///< the frames of the stacks
  std::optional<DeviceId> device;
  const std::optional<std::string>& profile; ///< the trace of the profiler
};

/// Reads the trace first. Throws UsageError if the output is a terminal, NamedError with the name of the file that
/// cannot be read or written, and ReaderGone.
void write_perfetto_trace(const PerfettoOutput& subject);

} // namespace memviz::cli
