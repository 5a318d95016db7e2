#pragma once

// Events -> what `memviz trace` says of them, in both of its forms.

#include "memviz/trace.hpp"
#include "support/snapshot_builder.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz::test {

struct Logged {
  std::string text;
  std::uint64_t shown = 0;
};

/// Both passes over the bytes of a snapshot, as `memviz trace` does them.
[[nodiscard]] Logged logged(const std::string& bytes, const TraceOptions& options);
/// Each line of NDJSON.
[[nodiscard]] std::vector<nlohmann::json> objects(const std::string& bytes, TraceOptions options = {});

/// An event of stream 0.
[[nodiscard]] PythonValue traced_event(const char* action, std::uint64_t address, std::uint64_t size,
                                       std::int64_t time_us);
/// An annotation of device 0.
[[nodiscard]] PythonValue mark(const char* name, const char* stage, std::int64_t time_us);

/// Three allocations at one address, one after the other, and another across; times in microseconds.
[[nodiscard]] std::string reuse();

} // namespace memviz::test
