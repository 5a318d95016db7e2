#pragma once

// File names of the command line -> snapshots, and texts -> the outputs that it names.

#include "cli/arguments.hpp"
#include "memviz/replay.hpp"
#include "memviz/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::cli {

/// A snapshot whose events were replayed while they were read; `snapshot.traces` is empty.
struct Loaded {
  Snapshot snapshot;
  Replay accounts;
};

/// Throws Error, with the file's name, for everything that keeps it from being read as a snapshot.
[[nodiscard]] Loaded load(const std::string& file, const Arguments& arguments);

/// What a picture calls the file: its own name, because a picture is passed on and folders are nobody's business.
[[nodiscard]] std::string picture_name(const std::string& file);

/// Throws Error with the path, or "standard output", when it cannot be written.
void write_output(const std::string& path, std::string_view text);

/// Throws UsageError when `output` would replace one of the snapshots that the command reads.
void keep_inputs(const Arguments& arguments, const std::string& output);

/// Throws UsageError, with the devices present, when the file has nothing on `device`.
void check_device(const std::string& file, const Snapshot& snapshot, std::optional<std::uint32_t> device);

} // namespace memviz::cli
