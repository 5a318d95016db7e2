#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>

using memviz::test::contains;
using memviz::test::run;
using memviz::test::TemporaryFolder;
using memviz::test::testdata_file;
using nlohmann::json;

namespace {

std::string case_file(const std::string& name) {
  return (memviz::test::testdata() / "cases" / (name + ".pickle")).string();
}

} // namespace

TEST_CASE("explain prints the story, and draws it where asked to") {
  const TemporaryFolder folder;
  const auto outcome = run({"explain", case_file("split_large_segment"), "-o", folder / "why.svg"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(contains(outcome.out, "GPU 0 ran out of memory: 10.8 GiB asked for by collate data.py:40"));
  CHECK(contains(outcome.out, "Fragmentation: 10.5 GiB was free"));
  const std::string svg = memviz::test::read_bytes(folder / "why.svg");
  CHECK(contains(svg, "<svg"));
  CHECK(run({"explain", case_file("split_large_segment"), "-o", "-"}).out == svg);
}

TEST_CASE("explain --json is one object") {
  const auto outcome = run({"explain", case_file("outside_memory"), "--json", "-", "--capacity", "11GiB"});
  CHECK(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  CHECK(found["devices"].at(0)["verdict"] == "outside");
  CHECK(found["devices"].at(0)["totals"]["capacity_bytes"] == 11ULL << 30U);
}

TEST_CASE("explain --text writes the text beside what takes its place") {
  const std::string file = case_file("split_large_segment");
  const auto text = run({"explain", file});
  const auto both = run({"explain", file, "--json", "/dev/stderr", "--text", "-"});
  CHECK(both.exit_code == 0);
  CHECK(both.out == text.out);
  CHECK(both.err == run({"explain", file, "--json", "-"}).out);
  CHECK(run({"explain", file, "-o", "/dev/stderr", "--text", "-"}).out == text.out);
  CHECK(run({"explain", file, "--json", "-", "--text", "-"}).exit_code == 2);
}

TEST_CASE("explain --at end looks at the end") {
  const auto outcome = run({"explain", case_file("huge_request"), "--at", "end"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "at the end of recording"));
  CHECK_FALSE(contains(outcome.out, "ran out of memory"));
}

TEST_CASE("explain --capacity below what the device had is bad usage, and says what that was") {
  const auto outcome = run({"explain", case_file("outside_memory"), "--capacity", "1GiB"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(
      contains(outcome.err, case_file("outside_memory") + ": GPU 0 had 5.85 GiB or more, of which PyTorch held 5.57"));
  CHECK(run({"explain", case_file("clean"), "--capacity", "10GiB"}).exit_code == 2);
  const auto room = run({"explain", case_file("clean"), "--capacity", "40GiB"});
  CHECK(room.exit_code == 0);
  CHECK(contains(room.out, "Headroom: of the device's 40.0 GiB PyTorch left 29.8 GiB unreserved."));
}

TEST_CASE("explain --brief of several files names each, and says how many devices it leaves out") {
  const std::string one = testdata_file("oom");
  const std::string two = testdata_file("devices_streams");
  const std::string alone = run({"explain", two, "--brief", "-q"}).out;
  CHECK(contains(alone, "And 2 more devices, of which the whole answer tells.\n"));
  CHECK_FALSE(contains(alone, two));
  const std::string both = run({"explain", one, two, "--brief", "-q"}).out;
  CHECK(both == one + "\n" + run({"explain", one, "--brief", "-q"}).out + "\n" + two + "\n" + alone);
}

TEST_CASE("explain --brief without a text is bad usage") {
  const auto outcome = run({"explain", testdata_file("oom"), "--brief", "--json", "-"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "--brief is of the text"));
  const TemporaryFolder folder;
  CHECK(run({"explain", testdata_file("oom"), "--brief", "--json", "-", "--text", folder / "why.txt"}).exit_code == 0);
}

TEST_CASE("explain refuses what it cannot do") {
  CHECK(run({"explain"}).exit_code == 2);
  CHECK(run({"explain", case_file("clean"), "--capacity", "much"}).exit_code == 2);
  CHECK(run({"explain", case_file("clean"), "--device", "7"}).exit_code == 2);
  CHECK(run({"explain", case_file("clean"), "--json", "x", "-o", "x"}).exit_code == 2);
  CHECK(run({"explain", "/does/not/exist.pickle"}).exit_code == 1);
}

TEST_CASE("explain --redact names no line of the program") {
  const auto outcome = run({"explain", case_file("split_large_segment"), "--redact", "all", "--json", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK_FALSE(contains(outcome.out, "metrics.py"));
  CHECK_FALSE(contains(outcome.out, "remember"));
  CHECK(contains(outcome.out, "fragmentation"));
}
