#include "memviz/compare.hpp"
#include "memviz/replay.hpp"
#include "support/files.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Returns the state at the out-of-memory error, the peak or the end, as compare sees it without --at.
MemoryState recorded(const std::filesystem::path& file) {
  MomentChoice choice;
  choice.kind = MomentKind::automatic;
  return rewind(read_snapshot(read_bytes(file.string())), choice);
}

Comparison compared(const MemoryState& before, const MemoryState& after) {
  return compare_snapshots(before, after, {});
}

void check_same(const MemoryState& recording) {
  const Comparison same = compared(recording, recording);
  CHECK(same.changes.empty());
  CHECK(same.only_before.empty());
  CHECK(same.only_after.empty());
  CHECK(same.match == FrameMatch::line);
  for (const auto& node : same.tree.nodes)
    CHECK(node.total.before == node.total.after);
  for (const DeviceReadings& device : same.readings)
    for (const Reading& reading : device.readings)
      CHECK(reading.change_bytes() == 0);
}

std::int64_t sum_of_changes(const Comparison& comparison) {
  std::int64_t sum = 0;
  for (const UserLineChange& line : comparison.changes)
    sum += line.change.delta_bytes();
  return sum;
}

void check_opposite(const MemoryState& before, const MemoryState& after) {
  const Comparison there = compared(before, after);
  const Comparison back = compared(after, before);
  check_conserves_bytes(there.tree);
  CHECK(there.match == back.match);
  CHECK(there.moved_lines_bytes == back.moved_lines_bytes);
  CHECK(there.only_before == back.only_after);
  CHECK(there.only_after == back.only_before);
  CHECK(there.tree.nodes.size() == back.tree.nodes.size());
  CHECK(there.tree.root().total.before == back.tree.root().total.after);
  CHECK(there.tree.root().total.width_bytes == back.tree.root().total.width_bytes);
  CHECK(there.changes.size() == back.changes.size());
  CHECK(sum_of_changes(there) == -sum_of_changes(back));
  REQUIRE(there.readings.size() == back.readings.size());
  for (std::size_t i = 0; i < there.readings.size(); ++i)
    for (const Gauge gauge : kGauges)
      CHECK(there.readings[i].of(gauge).change_bytes() == -back.readings[i].of(gauge).change_bytes());
}

} // namespace

TEST_CASE("real snapshots compared with themselves are the same, and compared in turn the opposite") {
  const auto folder = shared_folder();
  if (!folder) return;
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"expandable_bf16", "expandable_fp32"},
      {"octree_before", "octree_after"},
      {"no_grad_before", "grad_after"},
      {"history_v20_a", "history_v20_b"},
      {"cross_entropy_vanilla_8gpu", "cross_entropy_liger_8gpu"},
      {"cross_entropy_vanilla_8gpu", "cross_entropy_compiled_8gpu"},
      {"oom_expandable_3gpu", "four_devices_one_filled"},
      {"segments_only", "octree_small"},
  };
  for (const auto& [before_name, after_name] : pairs) {
    const std::string names = before_name + " and " + after_name; // no compiler captures a binding
    CAPTURE(names);
    const MemoryState before = recorded(*folder / "snapshots" / (before_name + ".pickle"));
    const MemoryState after = recorded(*folder / "snapshots" / (after_name + ".pickle"));
    check_same(before);
    check_same(after);
    check_opposite(before, after);
  }
}

TEST_CASE("two real runs whose lines only moved are compared by function") {
  const auto folder = shared_folder();
  if (!folder) return;
  for (const auto& [before_name, after_name, match] :
       {std::tuple{"history_v20_a", "history_v20_b", FrameMatch::function},
        std::tuple{"expandable_bf16", "expandable_fp32", FrameMatch::function},
        std::tuple{"no_grad_before", "grad_after", FrameMatch::function}}) {
    const std::string name = before_name;
    CAPTURE(name);
    const MemoryState before = recorded(*folder / "snapshots" / (std::string(before_name) + ".pickle"));
    const MemoryState after = recorded(*folder / "snapshots" / (std::string(after_name) + ".pickle"));
    CHECK(compared(before, after).match == match);
  }
}
