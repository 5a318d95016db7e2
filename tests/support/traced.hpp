#pragma once

// Events -> the output of `memviz trace` for them, in both of its forms.

#include "memviz/trace.hpp"
#include "support/snapshot_builder.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz::test {

struct Logged {
  std::string text;
  std::size_t longest_piece = 0; ///< bytes
  std::uint64_t shown = 0;
};

/// Makes both passes over the bytes of a snapshot, as `memviz trace` does.
[[nodiscard]] Logged logged(const std::string& bytes, const TraceOptions& options);
/// Returns each line of NDJSON.
[[nodiscard]] std::vector<nlohmann::json> objects(const std::string& bytes, TraceOptions options = {});

/// An event of stream 0.
[[nodiscard]] PythonValue traced_event(const char* action, std::uint64_t address, std::uint64_t size,
                                       std::int64_t time_us);
/// An annotation of device 0.
[[nodiscard]] PythonValue mark(const char* name, const char* stage, std::int64_t time_us);

/// Three allocations at one address, one after the other, and an overlapping one; times in microseconds.
[[nodiscard]] std::string reuse();

} // namespace memviz::test
