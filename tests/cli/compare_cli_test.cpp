#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz::test;
using nlohmann::json;

namespace {

Outcome compare(const std::string& before, const std::string& after, const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"compare", before, after};
  words.insert(words.end(), options.begin(), options.end());
  return run(words);
}

json compared(const std::string& before, const std::string& after, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"-q", "--json", "-"});
  return json::parse(compare(before, after, options).out);
}

/// The two lines of the contract, which end the text.
std::string lists_in(const std::string& text) {
  return text.substr(std::min(text.size(), text.find("only_before = ")));
}

/// 1,000 bytes live at the end; what else lived is freed again.
std::string recording(std::uint64_t peak_bytes) {
  SnapshotBuilder builder;
  builder.segment(0x1000, 20 * MiB).active(1024, 1000, {"/app/a.py:1:kept"}).inactive(20 * MiB - 1024);
  builder.event("segment_alloc", 0x1000, 20 * MiB).alloc(0x1000, 1000, {"/app/a.py:1:kept"});
  builder.alloc(0x2000, peak_bytes, {"/app/a.py:2:passing"}).free(0x2000, peak_bytes);
  return builder.pickle();
}

const std::string kLists = "only_before = [139888315858944, 139888355704832]\n"
                           "only_after = [139888395550720, 139888422813696, 139888450076672]\n";

} // namespace

TEST_CASE("compare prints a summary, and after it the two lists of the end") {
  const auto outcome = compare(testdata_file("before"), testdata_file("after"), {"--at", "end"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.ends_with("\n" + kLists));
  for (const char* part :
       {"requested at the peak", "requested at the end", "reserved at the end", "-4.00 MiB", "append_page cache.py:47"})
    CHECK_MESSAGE(contains(outcome.out, part), part);
  SUBCASE("with -q as well") {
    CHECK(compare(testdata_file("before"), testdata_file("after"), {"--at", "end", "-q"}).out == outcome.out);
  }
  SUBCASE("whatever moment is compared") {
    CHECK(lists_in(compare(testdata_file("before"), testdata_file("after"), {"--at", "peak"}).out) == kLists);
  }
}

TEST_CASE("compare of a file with itself finds no difference") {
  const auto outcome = compare(testdata_file("before"), testdata_file("before"), {"--fail-over", "0"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.ends_with("\nonly_before = []\nonly_after = []\n"));
  CHECK(!contains(outcome.out, "largest changes"));
  CHECK(compared(testdata_file("before"), testdata_file("before")).at("changes").empty());
}

TEST_CASE("a limit without a unit is a mistake, because it might be percent, bytes or megabytes") {
  const auto outcome = compare(testdata_file("before"), testdata_file("after"), {"--fail-over", "2"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "--fail-over needs a unit: 2%, 2B or 2MiB?"));
  for (const char* limit : {"2B", "2%", "0", "64MiB", "268435456"})
    CHECK(compare(testdata_file("before"), testdata_file("before"), {"--fail-over", limit}).exit_code == 0);
}

TEST_CASE("compare draws into a file, or to standard output with the text on standard error") {
  const TemporaryFolder folder;
  const auto to_file = compare(testdata_file("before"), testdata_file("after"), {"-q", "-o", folder / "diff.svg"});
  CHECK(to_file.exit_code == 0);
  CHECK(contains(to_file.out, "\nonly_before = ["));
  const std::string svg = read_bytes(folder / "diff.svg");
  CHECK(svg.starts_with("<?xml"));
  const auto to_stdout = compare(testdata_file("before"), testdata_file("after"), {"-q", "-o", "-"});
  CHECK(to_stdout.out == svg);
  CHECK(to_stdout.err == to_file.out);
  CHECK(compare(testdata_file("before"), testdata_file("after"), {"-q", "--markdown", "-"}).err == to_file.out);
}

TEST_CASE("compare reads one of the two from standard input") {
  const auto outcome = run({"compare", testdata_file("before"), "-", "-q"}, read_bytes(testdata_file("after")));
  CHECK(contains(outcome.out, "after:  standard input, "));
  CHECK(lists_in(outcome.out) == kLists);
}

TEST_CASE("compare calls files of one name by the folders that tell them apart") {
  const TemporaryFolder folder;
  write_bytes(folder / "main.pickle", recording(MiB));
  std::filesystem::create_directories(folder / "run/main/out");
  std::filesystem::create_directories(folder / "run/pull/out");
  write_bytes(folder / "run/main/out/mem.pickle", recording(MiB));
  write_bytes(folder / "run/pull/out/mem.pickle", recording(MiB));
  const auto outcome =
      compare(folder / "run/main/out/mem.pickle", folder / "run/pull/out/mem.pickle", {"-o", "-", "-q"});
  CHECK(contains(outcome.err, "before: main/out/mem.pickle, at the peak"));
  CHECK(contains(outcome.err, "after:  pull/out/mem.pickle, at the peak"));
  CHECK(contains(outcome.out, "before  main/out/mem.pickle<"));
  CHECK(!contains(outcome.out, "run/main"));
}

TEST_CASE("compare --fail-over") {
  const auto exit_code = [](const std::string& before, const std::string& after, std::vector<std::string> options) {
    options.insert(options.begin(), {"-q", "--fail-over"});
    return compare(testdata_file(before), testdata_file(after), options).exit_code;
  };
  SUBCASE("exits with 3 when a figure grew by more than a size or a percentage") {
    CHECK(exit_code("run_main", "run_branch", {"2%"}) == 3);
    CHECK(exit_code("run_main", "run_branch", {"200MiB"}) == 3);
    CHECK(exit_code("run_main", "run_branch", {"1000G"}) == 0);
    CHECK(exit_code("run_branch", "run_main", {"0"}) == 0);
    CHECK(exit_code("empty", "run_main", {"1000%"}) == 3);
  }
  SUBCASE("takes a growth of exactly the limit, of each figure and of the largest") {
    const json device = compared(testdata_file("run_main"), testdata_file("run_branch"))["devices"][0];
    std::int64_t largest = 0;
    for (const std::string gate : {"peak", "end", "reserved"}) {
      CAPTURE(gate);
      const std::string name = gate == "reserved" ? "end_reserved_bytes" : gate + "_requested_bytes";
      const auto growth = device[name]["change"].get<std::int64_t>();
      REQUIRE(growth > 0);
      largest = std::max(largest, growth);
      CHECK(exit_code("run_main", "run_branch", {std::to_string(growth), "--gate", gate}) == 0);
      CHECK(exit_code("run_main", "run_branch", {std::to_string(growth - 1), "--gate", gate}) == 3);
    }
    CHECK(exit_code("run_main", "run_branch", {std::to_string(largest)}) == 0);
    CHECK(exit_code("run_main", "run_branch", {std::to_string(largest - 1)}) == 3);
  }
  SUBCASE("writes everything first, and says which figure grew, by how much, and which line most") {
    const TemporaryFolder folder;
    const auto outcome = compare(testdata_file("run_main"), testdata_file("run_branch"),
                                 {"-o", folder / "diff.svg", "--markdown", folder / "diff.md", "-q", "--at", "end",
                                  "--fail-over", "2%", "--gate", "end"});
    CHECK(outcome.exit_code == 3);
    CHECK(contains(outcome.out, "\nonly_before = ["));
    CHECK(read_bytes(folder / "diff.svg").starts_with("<?xml"));
    CHECK(read_bytes(folder / "diff.md").starts_with("**Memory: more than the limit allows**"));
    CHECK(outcome.err.starts_with("memviz: run_branch.pickle: the end grew by "));
    CHECK(contains(outcome.err, "more than --fail-over 2% allows; the most by step main.py:34 (+232 MiB at the end)"));
  }
}

TEST_CASE("compare fails where the peak alone grew") {
  const TemporaryFolder folder;
  write_bytes(folder / "before.pickle", recording(MiB));
  write_bytes(folder / "after.pickle", recording(8 * MiB));
  const auto with = [&](const std::vector<std::string>& options) {
    return compare(folder / "before.pickle", folder / "after.pickle", options);
  };
  const auto outcome = with({"--fail-over", "2%"});
  CHECK(outcome.exit_code == 3);
  CHECK(contains(outcome.err, "the peak grew by 7.00 MiB (699.3 % of 1.00 MiB), more than --fail-over 2% allows; the "
                              "most by passing a.py:2 (+7.00 MiB at the peak)"));
  CHECK(with({"--fail-over", "2%", "--gate", "end"}).exit_code == 0);
  CHECK(with({"--fail-over", "2%", "--gate", "reserved"}).exit_code == 0);
  CHECK(with({"--fail-over", "2%", "--gate", "peak", "--at", "end"}).exit_code == 3);
}

TEST_CASE("compare does not pass a gate that it cannot look at") {
  const auto outcome = compare(testdata_file("segments_only"), testdata_file("after"),
                               {"--fail-over", "1000G", "--gate", "peak", "--at", "end"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "memviz: --gate peak: the peak is unknown: segments_only.pickle has no events\n");
  const auto others = compare(testdata_file("segments_only"), testdata_file("after"), {"--fail-over", "1000G"});
  CHECK(others.exit_code == 0);
  CHECK(contains(others.out, "the peak is unknown: segments_only.pickle has no events"));
  CHECK(contains(others.out, "end, reserved within --fail-over 1000G"));
}

TEST_CASE("compare the other way round says the opposite") {
  const json there = compared(testdata_file("before"), testdata_file("after"));
  const json back = compared(testdata_file("after"), testdata_file("before"));
  CHECK(there["schema_version"] == 1);
  CHECK(there["only_before"] == back["only_after"]);
  REQUIRE(there["devices"].size() == back["devices"].size());
  for (std::size_t i = 0; i < there["devices"].size(); ++i)
    for (const char* name : {"peak_requested_bytes", "end_requested_bytes", "end_reserved_bytes"})
      CHECK(there["devices"][i][name]["change"] == -back["devices"][i][name]["change"].get<std::int64_t>());
  std::int64_t sum = 0;
  for (const json* one : {&there, &back})
    for (const json& line : (*one)["changes"])
      sum += line["change_bytes"].get<std::int64_t>();
  CHECK(sum == 0);
  CHECK(there["changes"].size() == back["changes"].size());
}

TEST_CASE("compare says where one side is at its peak and the other can only be at its end") {
  const auto outcome = compare(testdata_file("segments_only"), testdata_file("after"), {"-o", "-"});
  const std::string warning = "GPU 0 is at the end of recording in segments_only.pickle, but at the peak, ";
  CHECK(contains(outcome.err, "memviz: warning: " + warning));
  CHECK(contains(outcome.out, warning));
  CHECK(!contains(compare(testdata_file("segments_only"), testdata_file("after"), {"--at", "end"}).err, "warning"));
}
