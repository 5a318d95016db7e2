#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace memviz {

using nlohmann::json;
using test::contains;
using test::Outcome;
using test::run;
using test::testdata_file;

namespace {

const std::string& host_file() {
  static const std::string file = testdata_file("gen_2.15_host.pickle");
  return file;
}

} // namespace

TEST_CASE("each command takes pinned host memory as a device") {
  for (const char* command : {"flame", "state", "timeline", "explain"}) {
    CAPTURE(command);
    const Outcome outcome = run({command, host_file(), "--device", "host", "-o", "-", "-q"});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.out, "ost memory"));
    CHECK(!contains(outcome.out, "GPU 0"));
  }
  for (const char* command : {"stats", "leaks", "explain", "trace"}) {
    CAPTURE(command);
    const Outcome outcome = run({command, host_file(), "--device", "host", "-q"});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.out, "Host memory"));
    CHECK(!contains(outcome.out, "GPU 0"));
  }
  CHECK(run({"compare", host_file(), host_file(), "--device", "host", "-q"}).exit_code == 0);
}

TEST_CASE("JSON calls pinned host memory host") {
  const json stats = json::parse(run({"stats", host_file(), "--json", "-", "-q"}).out);
  REQUIRE(stats["devices"].size() == 2);
  CHECK(stats["devices"][0]["device"] == 0);
  CHECK(stats["devices"][1]["device"] == "host");
  for (const char* command : {"explain", "leaks", "check"})
    CHECK(json::parse(run({command, host_file(), "--json", "-", "-q"}).out)["devices"].size() == 2);
}

TEST_CASE(
    "levels of one's own begin with the device where there is pinned host memory, so that it is never added to GPUs") {
  const auto levels = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"export", host_file(), "--format", "json", "--group", "state,kind", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const json nodes = json::parse(run(words).out)["nodes"];
    return nodes.at(1)["kind"].get<std::string>();
  };
  CHECK(levels({}) == "device");
  CHECK(levels({"--device", "0"}) == "state");
}

TEST_CASE("an event of pinned host memory is named with its device") {
  const Outcome one = run({"stats", host_file(), "--at", "event:5", "--device", "host"});
  CHECK(contains(one.out, "Host memory after event 5 of 25"));
  const Outcome none = run({"stats", host_file(), "--at", "event:5"});
  CHECK(none.exit_code == 2);
  CHECK(contains(none.err, "add --device 0 or host"));
  CHECK(contains(run({"stats", host_file(), "--device", "3"}).err, "it has 0, host"));
  CHECK(contains(run({"stats", testdata_file("oom.pickle"), "--device", "host"}).err, "has no such device"));
  CHECK(run({"stats", host_file(), "--device", "65536"}).exit_code == 2);
}

} // namespace memviz
