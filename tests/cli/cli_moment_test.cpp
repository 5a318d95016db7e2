#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using memviz::test::contains;
using memviz::test::run;
using memviz::test::testdata_file;
using nlohmann::json;

namespace {

json device_at(const std::string& name, const std::string& moment, std::size_t device = 0) {
  const auto outcome = run({"stats", testdata_file(name), "--at", moment, "--json", "-"});
  CAPTURE(moment);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out)["devices"][device];
}

void check_mistake(const std::string& name, const std::string& moment, const std::string& message) {
  const auto outcome = run({"stats", testdata_file(name), "--at", moment});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "memviz: --at " + moment + message + "\n");
}

} // namespace

TEST_CASE("stats and export are about the end, pictures about the out-of-memory error, unless told") {
  const std::string file = testdata_file("oom_expandable");
  const auto stats = json::parse(run({"stats", file, "--json", "-", "-q"}).out)["devices"][0];
  CHECK(stats["at"]["kind"] == "end");
  CHECK(stats["at"]["event"] == stats["events"].get<std::int64_t>() - 1);
  const auto picture = run({"flame", file, "-o", "-"});
  CHECK(picture.exit_code == 0);
  CHECK(picture.err.empty());
  CHECK(contains(picture.out, "at the out-of-memory error"));
  CHECK(contains(run({"flame", file, "--at", "end", "-o", "-", "-q"}).out, "at the end of recording"));
  CHECK(run({"export", file, "--format", "folded", "-q"}).out ==
        run({"export", file, "--format", "folded", "--at", "end", "-q"}).out);
  CHECK(run({"export", file, "--format", "folded", "-q"}).out !=
        run({"export", file, "--format", "folded", "--at", "oom", "-q"}).out);
}

TEST_CASE("auto is the out-of-memory error, without one the peak, without events the end, of each device") {
  CHECK(device_at("oom_expandable", "auto") == device_at("oom_expandable", "oom"));
  CHECK(device_at("training_step", "auto") == device_at("training_step", "peak"));
  CHECK(device_at("segments_only", "auto") == device_at("segments_only", "end"));
  for (const char* command : {"flame", "state"}) {
    CAPTURE(command);
    const auto drawn = [&](const std::string& name, const std::vector<std::string>& more) {
      std::vector<std::string> arguments{command, testdata_file(name), "-o", "-", "-q"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run(arguments).out;
    };
    CHECK(drawn("training_step", {}) == drawn("training_step", {"--at", "peak"}));
    CHECK(drawn("oom_expandable", {}) == drawn("oom_expandable", {"--at", "oom"}));
    CHECK(drawn("segments_only", {}) == drawn("segments_only", {"--at", "end"}));
  }
  CHECK(run({"explain", testdata_file("training_step")}).out ==
        run({"explain", testdata_file("training_step"), "--at", "peak"}).out);
  const auto compared = run({"compare", testdata_file("run_main"), testdata_file("run_branch"), "-o", "-"});
  CHECK(contains(compared.out, "at the peak, event "));
}

TEST_CASE("the state at the peak holds the peak") {
  for (const char* name : {"oom_expandable", "training_step", "gen_2.5_annotations", "cases/clean"}) {
    const json stats = device_at(name, "peak");
    CHECK(stats["at"]["kind"] == "peak");
    CHECK(stats["at"]["event"] == stats["peak_event"]);
    CHECK(stats["requested_bytes"] == stats["peak_requested_bytes"]);
  }
}

TEST_CASE("at oom is just before the request failed") {
  const json stats = device_at("oom_expandable", "oom");
  CHECK(stats["at"]["kind"] == "oom");
  CHECK(stats["at"]["event"] == stats["last_oom_event"]);
  const auto before = device_at("oom_expandable", "event:" + std::to_string(stats["last_oom_event"].get<int>() - 1));
  CHECK(stats["requested_bytes"] == before["requested_bytes"]);
  CHECK(stats["reserved_bytes"] == before["reserved_bytes"]);
}

TEST_CASE("the same moment by its event and by its time") {
  const json by_event = device_at("gen_2.5_annotations", "event:0");
  const json by_time = device_at("gen_2.5_annotations", "time:" + by_event["at"]["time_us"].dump());
  CHECK(by_time["at"]["kind"] == "time");
  CHECK(by_time["requested_bytes"].get<std::uint64_t>() >= by_event["requested_bytes"].get<std::uint64_t>());
  CHECK(by_time["at"]["time_us"] == by_event["at"]["time_us"]);
}

TEST_CASE("an annotation stands for the time at which it starts") {
  const json first = device_at("gen_2.5_annotations", "annotation:load");
  CHECK(first["at"]["event"] == -1); // it starts before the first event
  CHECK(first["at"]["annotation"] == "load");
  CHECK(first["reserved_bytes"] == 0);
  const json second = device_at("gen_2.5_annotations", "annotation:generate#1");
  CHECK(second["at"]["event"] == 5);
  CHECK(second["requested_bytes"] == device_at("gen_2.5_annotations", "event:5")["requested_bytes"]);
  const std::string file = testdata_file("gen_2.5_annotations");
  CHECK(contains(run({"flame", file, "--at", "annotation:generate", "-o", "-"}).out, "at the start of 'generate"));
  check_mistake("gen_2.5_annotations", "annotation:generat",
                ": " + file + " has no such annotation; did you mean 'generate'?");
  check_mistake("gen_2.5_annotations", "annotation:generate#2",
                ": " + file + " has no such annotation; did you mean 'generate'?");
  check_mistake("gen_2.5_annotations", "annotation:zzzzzzzz",
                ": " + file + " has no such annotation; it has 'generate', 'load'");
}

TEST_CASE("the text of stats names the moment") {
  CHECK(contains(run({"stats", testdata_file("oom_expandable"), "--at", "oom"}).out,
                 "GPU 0 at the out-of-memory error, event "));
  CHECK(contains(run({"stats", testdata_file("oom_expandable"), "--at", "event:-1"}).out,
                 "GPU 0 before the first event"));
}

TEST_CASE("a comparison names the moments of both sides") {
  const auto outcome = run({"compare", testdata_file("before"), testdata_file("after"), "--at", "peak", "-o", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "at the peak, event "));
}

TEST_CASE("a moment that the file does not have") {
  check_mistake("before", "oom", ": " + testdata_file("before") + " records no out-of-memory error; try --at peak");
  check_mistake("segments_only", "peak",
                ": " + testdata_file("segments_only") + " has no events, so its peak is not known");
  check_mistake("segments_only", "event:0", ": " + testdata_file("segments_only") + " has no events");
  check_mistake("gen_2.1_no_time", "time:5",
                ": the events of " + testdata_file("gen_2.1_no_time") +
                    " have no times (PyTorch before 2.2); try event:N");
  check_mistake("before", "annotation:step", ": " + testdata_file("before") + " has no such annotation, and no other");
  const auto late = run({"stats", testdata_file("oom_expandable"), "--at", "event:1000000"});
  CHECK(late.exit_code == 2);
  CHECK(contains(late.err, "has events 0 to "));
  const auto early = run({"stats", testdata_file("gen_2.5_annotations"), "--at", "time:1"});
  CHECK(early.exit_code == 2);
  CHECK(contains(early.err, "are from time:"));
}
