#include "memviz/rehearsal.hpp"
#include "memviz/warnings.hpp"
#include "support/contains.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kTotalBytes = 40 * MiB;
const std::string kSentence = "rehearsed on a made-up NVIDIA H100 80GB HBM3, not recorded on a GPU";
const std::string kAlert = "rehearsed, not recorded on a GPU";

PythonValue mark() {
  return dict({{"gpu", "NVIDIA H100 80GB HBM3"},
               {"profile", "h100-80"},
               {"total_bytes", static_cast<std::int64_t>(kTotalBytes)},
               {"version", "0.1.0"}});
}

SnapshotBuilder small() {
  SnapshotBuilder snapshot;
  snapshot.segment(0x1000000, 2 * MiB).active(MiB, MiB, {"/home/me/train.py:12:step"}).inactive(MiB);
  snapshot.event("segment_alloc", 0x1000000, 2 * MiB).alloc(0x1000000, MiB, {"/home/me/train.py:12:step"});
  return snapshot;
}

std::string file_of(const TemporaryFolder& folder, const SnapshotBuilder& snapshot, const std::string& name) {
  write_bytes(folder / name, snapshot.pickle());
  return folder / name;
}

std::string drawn_by(const TemporaryFolder& folder, std::vector<std::string> command) {
  command.insert(command.end(), {"--quiet", "-o", folder / "drawn_by.svg"});
  const test::Outcome outcome = run(command);
  REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
  return read_bytes(folder / "drawn_by.svg");
}

} // namespace

TEST_CASE("the mark of a rehearsed recording is read from either place") {
  CHECK_FALSE(small().read().origin.rehearsal);

  SUBCASE("the top level") {
    const auto rehearsal = small().set("memviz_rehearsal", mark()).read().origin.rehearsal;
    REQUIRE(rehearsal);
    CHECK(rehearsal->gpu == "NVIDIA H100 80GB HBM3");
    CHECK(rehearsal->profile == "h100-80");
    CHECK(rehearsal->total_bytes == kTotalBytes);
  }
  SUBCASE("the allocator's settings") {
    const Recording snapshot = small().set("allocator_settings", dict({{"memviz_rehearsal", mark()}})).read();
    REQUIRE(snapshot.origin.rehearsal);
    CHECK(snapshot.origin.rehearsal->total_bytes == kTotalBytes);
    REQUIRE_FALSE(warnings_of(snapshot).empty());
    CHECK(warnings_of(snapshot).front() == kSentence);
  }
  SUBCASE("a name is enough") {
    const auto rehearsal =
        small().set("allocator_settings", dict({{"memviz_rehearsal", "t4"}})).read().origin.rehearsal;
    REQUIRE(rehearsal);
    CHECK(rehearsal_text(*rehearsal) == "rehearsed on a made-up GPU (t4), not recorded on a GPU");
  }
  SUBCASE("whatever else is there is a mark as well") {
    for (const PythonValue& value :
         {PythonValue(true), PythonValue(), dict({}), list({1, 2}), dict({{"total_bytes", -1}, {"gpu", list()}})}) {
      const auto rehearsal = small().set("memviz_rehearsal", value).read().origin.rehearsal;
      REQUIRE(rehearsal);
      CHECK_FALSE(rehearsal->total_bytes);
      CHECK(rehearsal_text(*rehearsal) == "rehearsed on a made-up GPU, not recorded on a GPU");
    }
  }
  SUBCASE("a long name is cut") {
    const auto rehearsal =
        small().set("memviz_rehearsal", dict({{"gpu", std::string(100000, 'x')}})).read().origin.rehearsal;
    REQUIRE(rehearsal);
    CHECK(rehearsal->gpu.size() == 60);
  }
}

TEST_CASE("every command says that a recording was rehearsed") {
  const TemporaryFolder folder;
  const std::string real = file_of(folder, small(), "real.pickle");
  const std::string file = file_of(folder, small().set("memviz_rehearsal", mark()), "rehearsed.pickle");

  SUBCASE("as text") {
    for (const char* command : {"stats", "check", "explain"}) {
      CHECK_MESSAGE(contains(run({command, file}).out, kSentence), command);
      CHECK_FALSE_MESSAGE(contains(run({command, real}).out, "rehearsed"), command);
    }
    for (const char* command : {"trace", "leaks"})
      CHECK_MESSAGE(contains(run({command, file}).err, kSentence), command);
    CHECK(contains(run({"export", file, "--format", "folded"}).err, kSentence));
    CHECK(contains(run({"compare", real, file}).err, kSentence));
  }
  SUBCASE("as JSON") {
    for (const char* command : {"stats", "check", "explain"}) {
      const auto json = nlohmann::json::parse(run({command, file, "--quiet", "--json", "-"}).out);
      CHECK_MESSAGE(json["rehearsal"]["gpu"] == "NVIDIA H100 80GB HBM3", command);
      CHECK(json["rehearsal"]["total_bytes"] == kTotalBytes);
      CHECK(json["warnings"][0] == kSentence);
      CHECK_FALSE(nlohmann::json::parse(run({command, real, "--quiet", "--json", "-"}).out).contains("rehearsal"));
    }
    const auto json = nlohmann::json::parse(run({"compare", real, file, "--json", "-", "--quiet"}).out);
    CHECK(contains(json["warnings"].dump(), kSentence));
  }
  SUBCASE("as a picture, at the top and at the bottom") {
    for (const char* command : {"flame", "timeline", "state", "explain"}) {
      const std::string svg = drawn_by(folder, {command, file});
      CHECK_MESSAGE(contains(svg, kAlert), command);
      CHECK_MESSAGE(contains(svg, "made-up NVIDIA H100 80GB HBM3"), command);
      CHECK_FALSE_MESSAGE(contains(drawn_by(folder, {command, real}), "rehearsed"), command);
    }
    const std::string svg = drawn_by(folder, {"compare", real, file});
    CHECK(contains(svg, kAlert));
    CHECK(contains(svg, "made-up NVIDIA H100 80GB HBM3"));
  }
  SUBCASE("with everything redacted") {
    const test::Outcome outcome = run({"stats", file, "--redact", "all"});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.out, kSentence));
    const std::string own =
        file_of(folder, small().set("memviz_rehearsal", dict({{"gpu", "Secret Chip 1"}})), "own.pickle");
    const test::Outcome hidden = run({"stats", own, "--redact", "all"});
    CHECK(hidden.exit_code == 0);
    CHECK(contains(hidden.out, "not recorded on a GPU"));
    CHECK_FALSE(contains(hidden.out + hidden.err, "Secret"));
  }
}

TEST_CASE("explain knows the capacity of a made-up GPU") {
  const TemporaryFolder folder;
  const auto capacity_of = [&](const PythonValue& rehearsal, std::vector<std::string> more = {}) {
    const std::string file = file_of(folder, small().set("memviz_rehearsal", rehearsal), "rehearsed.pickle");
    std::vector<std::string> command{"explain", file, "--quiet", "--json", "-"};
    command.insert(command.end(), more.begin(), more.end());
    const test::Outcome outcome = run(command);
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    return nlohmann::json::parse(outcome.out)["devices"][0]["totals"]["capacity_bytes"];
  };
  CHECK(capacity_of(mark()) == kTotalBytes);
  CHECK(capacity_of(mark(), {"--capacity", "64MiB"}) == 64 * MiB);
  CHECK(capacity_of("h100-80").is_null());
  // Less than PyTorch held cannot be true.
  CHECK(capacity_of(dict({{"total_bytes", 1000}})).is_null());
}
