#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz {

using nlohmann::json;
using test::contains;
using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

std::string rule_file(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder / "rules.txt";
  std::ofstream(path) << text;
  return path;
}

std::uint64_t bytes_of(const json& kinds, const std::string& kind, const std::string& key = "bytes") {
  for (const json& one : kinds)
    if (one["kind"] == kind) return one[key];
  FAIL("no kind ", kind);
  return 0;
}

std::uint64_t total(const json& kinds) {
  std::uint64_t bytes = 0;
  for (const json& one : kinds)
    bytes += one["bytes"].get<std::uint64_t>();
  return bytes;
}

json stats_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"stats", testdata_file("training_step"), "-q", "--json", "-"});
  return json::parse(run(words).out)["devices"][0];
}

} // namespace

TEST_CASE("stats says what kinds of memory there are at its moment and at the peak, to the byte") {
  const json device = stats_of({});
  CHECK(total(device["kinds"]) == device["requested_bytes"]);
  CHECK(total(device["peak_kinds"]) == device["peak_requested_bytes"]);
  CHECK(stats_of({"--at", "peak"})["kinds"] == device["peak_kinds"]);
  for (const json& kind : device["kinds"])
    CHECK(kind["bytes"] >= kind["rules_bytes"].get<std::uint64_t>() + kind["declared_bytes"].get<std::uint64_t>() +
                               kind["frames_bytes"].get<std::uint64_t>() +
                               kind["behaviour_bytes"].get<std::uint64_t>());
  const std::string text = run({"stats", testdata_file("training_step"), "-q"}).out;
  CHECK(contains(text, "at the end   share  at the peak   share  kind"));
  CHECK(contains(run({"stats", testdata_file("training_step"), "-q", "--at", "peak"}).out,
                 "requested   share  blocks  kind"));
}

TEST_CASE("--kinds takes rules of the user's own, which go before all others") {
  const TemporaryFolder folder;
  const std::string rules = rule_file(folder, "# all of it\nworkspace .*\n");
  const json device = stats_of({"--kinds", rules});
  const std::uint64_t bytes = bytes_of(device["kinds"], "workspace", "rules_bytes");
  CHECK(bytes > device["requested_bytes"].get<std::uint64_t>() / 2);
  CHECK(bytes == bytes_of(device["kinds"], "workspace"));
  const std::string file = testdata_file("training_step");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"compare", file, file}, {"explain", file}, {"leaks", file}, {"export", file, "--format", "json"}}) {
    CAPTURE(words.front());
    std::vector<std::string> with_rules = words;
    with_rules.insert(with_rules.end(), {"-q", "--kinds", rules});
    CHECK(run(with_rules).exit_code == 0);
  }
  CHECK(contains(run({"explain", file, "-q", "--kinds", rules}).out, "% workspaces"));
}

TEST_CASE("what is no rule is an error that names the file and the line") {
  const TemporaryFolder folder;
  const auto outcome = run({"stats", testdata_file("training_step"), "--kinds", rule_file(folder, "\nactivation (\n")});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "rules.txt: line 2: '(' is not a regular expression"));
  CHECK(run({"stats", testdata_file("training_step"), "--kinds", folder / "missing"}).exit_code == 1);
}

TEST_CASE("compare says growth by kind, and of a file and itself nothing") {
  const std::string text = run({"compare", testdata_file("before"), testdata_file("after"), "-q", "--at", "end"}).out;
  CHECK(contains(text, "requested, by kind"));
  const std::string file = testdata_file("training_step");
  const json kinds = json::parse(run({"compare", file, file, "-q", "--json", "-"}).out)["devices"][0]["kinds"];
  CHECK(!kinds.empty());
  for (const json& kind : kinds)
    CHECK(kind["change_bytes"] == 0);
}

} // namespace memviz
