#include "memviz/export.hpp"
#include "memviz/input.hpp"
#include "memviz/warnings.hpp"
#include "support/files.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

// Figures of independent origin: folded stacks of PyTorch's own _memory_viz.py, totals and state of another replay.

namespace memviz {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void check_stats(const MemoryState& state, const fs::path& expected) {
  const json found = json::parse(stats_json("file", state))["devices"];
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

void check_trees(const MemoryState& state) {
  std::uint64_t reserved_bytes = 0;
  for (const DeviceState& device_state : state.devices)
    reserved_bytes += device_state.figures.reserved_bytes;
  for (const auto& levels : {memory_levels(state), segment_levels(state)}) {
    TreeOptions options;
    options.levels = levels;
    CHECK(build_frame_tree(state, options).root().total.bytes == reserved_bytes);
  }
}

void check_snapshot(const fs::path& path, const fs::path& expected_stem) {
  CAPTURE(path.string());
  const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
  const MemoryState state = test::end_of(snapshot);
  check_stats(state, expected_stem.string() + ".json");
  check_trees(state);
  const std::string memory = expected_stem.string() + ".memory.folded";
  if (!fs::exists(memory)) return; // where PyTorch's own tool cannot read the file
  check_same_lines(folded_stacks(state, FoldedView::memory, std::nullopt), memory);
  check_same_lines(folded_stacks(state, FoldedView::segments, std::nullopt),
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
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    CHECK(snapshot.origin.device_kind == DeviceKind::cpu);
    CHECK(warnings_of(test::end_of(snapshot)).empty());
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
  if (!folder) return;
  for (const fs::path& path : test::files_in(*folder / "snapshots", ".pickle"))
    check_snapshot(path, *folder / "oracle" / path.stem());
}

} // namespace memviz
