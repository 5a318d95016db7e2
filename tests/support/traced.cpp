#include "support/traced.hpp"

#include "memviz/recording.hpp"

#include <algorithm>
#include <sstream>

namespace memviz::test {

Logged logged(const std::string& bytes, const TraceOptions& options) {
  TraceSurvey survey;
  ReadOptions first;
  first.sink = &survey;
  const Recording snapshot = read_snapshot(bytes, first);
  Logged result;
  TraceLog log(snapshot, survey, options, [&](std::string_view piece) {
    result.text += piece;
    result.longest_piece = std::max(result.longest_piece, piece.size());
  });
  ReadOptions second;
  second.sink = &log;
  static_cast<void>(read_snapshot(bytes, second));
  result.shown = log.finish();
  return result;
}

std::vector<nlohmann::json> objects(const std::string& bytes, TraceOptions options) {
  options.format = TraceFormat::ndjson;
  std::vector<nlohmann::json> result;
  std::istringstream lines(logged(bytes, options).text);
  for (std::string line; std::getline(lines, line);)
    result.push_back(nlohmann::json::parse(line));
  return result;
}

PythonValue traced_event(const char* action, std::uint64_t address, std::uint64_t size, std::int64_t time_us) {
  return dict({{"action", action}, {"addr", address}, {"size", size}, {"stream", 0}, {"time_us", time_us}});
}

PythonValue mark(const char* name, const char* stage, std::int64_t time_us) {
  return dict({{"name", name}, {"stage", stage}, {"device", 0}, {"time_us", time_us}});
}

std::string reuse() {
  SnapshotBuilder builder;
  builder.event(traced_event("free_completed", 0x1000, 100, 10)); // from before the recording
  builder.event(traced_event("alloc", 0x1000, 200, 20));
  builder.event(traced_event("alloc", 0x9000, 50, 25));
  builder.event(traced_event("free_requested", 0x1000, 200, 30));
  builder.event(traced_event("free_completed", 0x1000, 200, 45));
  builder.event(traced_event("alloc", 0x1000, 300, 50));
  builder.event(traced_event("free_requested", 0x1000, 300, 60));
  builder.event(traced_event("free_completed", 0x1000, 300, 60));
  return builder.pickle();
}

} // namespace memviz::test
