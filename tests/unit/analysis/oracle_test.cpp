#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/input.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

// Figures of independent origin: folded stacks of PyTorch's own _memory_viz.py, totals and accounts of another replay.

namespace memviz {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void check_stats(const Snapshot& snapshot, const Replay& accounts, const fs::path& expected) {
  const json found = json::parse(stats_json("file", snapshot, accounts))["devices"];
  const json wanted = json::parse(test::read_bytes(expected.string()));
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const auto& item : wanted[i].items()) {
      CAPTURE(item.key());
      CHECK(found[i][item.key()] == item.value());
    }
  }
}

/// Compared without CHECK's own printing: the texts have megabytes.
void check_same_lines(const std::string& found, const fs::path& expected) {
  const std::string wanted = test::read_bytes(expected.string());
  if (found == wanted) return;
  const auto difference = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end()).first;
  const auto at = static_cast<std::size_t>(difference - found.begin());
  const std::size_t line = found.rfind('\n', at == 0 ? 0 : at - 1) + 1;
  FAIL_CHECK(expected.string() << " differs at byte " << at << ": found " << found.substr(line, 300) << "\nwanted "
                               << wanted.substr(line, 300));
}

void check_trees(const Snapshot& snapshot, const Replay& accounts) {
  std::uint64_t reserved_bytes = 0;
  for (const DeviceStats& stats : accounts.devices)
    reserved_bytes += stats.reserved_bytes;
  for (const auto& levels : {memory_levels(snapshot), segment_levels(snapshot)}) {
    TreeOptions options;
    options.levels = levels;
    CHECK(build_frame_tree(snapshot, accounts, options).root().total.bytes == reserved_bytes);
  }
}

void check_snapshot(const fs::path& path, const fs::path& expected_stem) {
  CAPTURE(path.string());
  const Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
  const Replay accounts = replay(snapshot);
  check_stats(snapshot, accounts, expected_stem.string() + ".json");
  check_trees(snapshot, accounts);
  const std::string memory = expected_stem.string() + ".memory.folded";
  if (!fs::exists(memory)) return; // where PyTorch's own tool cannot read the file
  check_same_lines(folded_stacks(snapshot, FoldedView::memory, std::nullopt), memory);
  check_same_lines(folded_stacks(snapshot, FoldedView::segments, std::nullopt),
                   expected_stem.string() + ".segments.folded");
}

} // namespace

TEST_CASE("snapshots of testdata give the figures and stacks expected") {
  const fs::path expected = test::testdata() / "expected";
  const auto snapshots = test::files_in(test::testdata(), ".pickle");
  REQUIRE(!snapshots.empty());
  for (const fs::path& path : snapshots)
    check_snapshot(path, expected / path.stem());
}

TEST_CASE("snapshots recorded by the capture module give the figures and stacks expected") {
  const auto snapshots = test::files_in(test::testdata() / "recorded", ".pickle");
  REQUIRE(!snapshots.empty());
  for (const fs::path& path : snapshots) {
    check_snapshot(path, test::testdata() / "expected" / path.stem());
    const Snapshot snapshot = read_snapshot(read_input(path.string()).bytes());
    CHECK(snapshot.origin.is_cpu);
    CHECK(replay(snapshot).warnings.empty());
  }
}

TEST_CASE("one snapshot in every encoding gives the same figures and stacks") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(test::testdata() / "encodings")) {
    check_snapshot(entry.path(), test::testdata() / "expected/encodings");
    ++count;
  }
  CHECK(count >= 9);
}

TEST_CASE("real snapshots give the figures and stacks of the oracle") {
  const auto folder = test::shared_folder();
  if (!folder) {
    MESSAGE("skipped: no ../shared");
    return;
  }
  for (const fs::path& path : test::files_in(*folder / "snapshots", ".pickle"))
    check_snapshot(path, *folder / "oracle" / path.stem());
}

} // namespace memviz
