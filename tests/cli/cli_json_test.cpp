#include "support/files.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

using namespace memviz::test;
using nlohmann::json;

namespace {

json answer(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "-", "--quiet"});
  const Outcome outcome = run(words);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

std::uint64_t bytes_of(const json& things, const char* key) {
  std::uint64_t sum = 0;
  for (const json& thing : things)
    sum += thing.value(key, std::uint64_t{0});
  return sum;
}

const std::vector<std::string> kFiles{"training_step", "oom", "cases/split_free_blocks"};

} // namespace

// docs/schemas/ says what every member is, and tests/schemas/ holds all outputs against it.

TEST_CASE("the JSON of state has every byte that is reserved at the moment, in segments and their blocks") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const std::string file = testdata_file(name);
    const json state = answer({"state", file, "--at", "end"});
    const json stats = answer({"stats", file});
    CHECK(state["schema"] == "memviz.state/1.0");
    CHECK(bytes_of(state["segments"], "total_bytes") == bytes_of(stats["devices"], "reserved_bytes"));
    std::uint64_t requested_bytes = 0;
    for (const json& segment : state["segments"]) {
      CHECK(bytes_of(segment["blocks"], "size_bytes") + segment["uncovered_bytes"].get<std::uint64_t>() ==
            segment["total_bytes"]);
      requested_bytes += bytes_of(segment["blocks"], "requested_bytes");
    }
    CHECK(requested_bytes == bytes_of(stats["devices"], "requested_bytes"));
  }
}

TEST_CASE("the JSON of a timeline has a peak that is that of stats, and who held every byte of it") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const std::string file = testdata_file(name);
    const json device = answer({"timeline", file})["devices"][0];
    const json& peak = device["peak"];
    CHECK(peak["live_bytes"] == answer({"stats", file})["devices"][0]["peak_requested_bytes"]);
    CHECK(bytes_of(peak["holders"], "bytes") + peak["others"]["bytes"].get<std::uint64_t>() == peak["live_bytes"]);
    CHECK(bytes_of(peak["kinds"], "bytes") == peak["live_bytes"]);
    std::uint64_t highest_bytes = 0;
    for (const json& point : device["curve"])
      highest_bytes = std::max(highest_bytes, point["live_bytes"].get<std::uint64_t>());
    CHECK(highest_bytes == peak["live_bytes"]);
  }
}

TEST_CASE("the JSON of trace has the lines of NDJSON") {
  const std::string file = testdata_file("oom");
  const json trace = answer({"trace", file, "--min-size", "8MiB"});
  const std::string lines = run({"trace", file, "--min-size", "8MiB", "--format", "ndjson", "--quiet"}).out;
  std::string joined;
  for (const json& line : trace["lines"])
    joined += line.dump() + '\n';
  std::string expected;
  std::size_t from = 0;
  for (std::size_t end = lines.find('\n'); end != std::string::npos; from = end + 1, end = lines.find('\n', from))
    expected += json::parse(lines.substr(from, end - from)).dump() + '\n';
  CHECK(!expected.empty());
  CHECK(joined == expected);
}

TEST_CASE("the JSON of flame is that of export at the same moment") {
  const std::string file = testdata_file("training_step");
  const std::string flame = run({"flame", file, "--at", "peak", "--json", "-", "--quiet"}).out;
  CHECK(flame == run({"export", file, "--at", "peak", "--format", "json", "--quiet"}).out);
  CHECK(json::parse(flame)["schema"] == "memviz.tree/1.0");
}

TEST_CASE("the JSON of report has the weights and the peak of its tables") {
  const json report = answer({"report", testdata_file("recorder_key")});
  CHECK(report["schema"] == "memviz.report/1.0");
  std::set<std::string> names;
  for (const json& weight : report["weights"])
    names.insert(weight["name"]);
  CHECK(!names.empty());
  CHECK(names.size() == report["weights"].size());
}
