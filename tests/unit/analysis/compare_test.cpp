#include "memviz/compare.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/label.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>
#include <map>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

Comparison compared(const Recording& before, const Recording& after, const CompareOptions& options) {
  return compare_snapshots({end_of(before)}, {end_of(after)}, options);
}

std::map<std::string, std::int64_t> deltas(const Comparison& comparison) {
  check_conserves_bytes(comparison.tree);
  std::map<std::string, std::int64_t> found;
  for (const auto& node : comparison.tree.nodes) {
    if (node.self.delta_bytes() != 0) found[node_label(comparison.frames, node.key)] += node.self.delta_bytes();
  }
  return found;
}

Recording with_blocks(std::initializer_list<std::pair<Stack, std::uint64_t>> blocks, std::uint64_t address = 0x1000) {
  SnapshotBuilder builder;
  std::uint64_t total = 0;
  for (const auto& [stack, size] : blocks)
    total += size;
  auto segment = builder.segment(address, total);
  for (const auto& [stack, size] : blocks)
    segment.active(size, size, stack);
  return builder.read();
}

const MomentChoice kPeak = [] {
  MomentChoice choice;
  choice.kind = MomentKind::peak;
  return choice;
}();

} // namespace

TEST_CASE("files of two checkouts are the same where their paths end in the same names") {
  const Recording before =
      with_blocks({{{"/home/me/main/app/model.py:1:f"}, 512}, {{"/home/me/main/app/__init__.py:1:g"}, 512}});
  const auto after_with = [](const Stack& first, const Stack& second) {
    return with_blocks({{first, 512}, {second, 1024}});
  };
  SUBCASE("in another folder") {
    const Recording after = after_with({"/tmp/branch/app/model.py:1:f"}, {"/tmp/branch/app/__init__.py:1:g"});
    const Comparison result = compared(before, after, {});
    CHECK(result.moved_files == 2);
    CHECK(deltas(result) == std::map<std::string, std::int64_t>{{"g __init__.py:1", 512}});
    CHECK(compared(after, before, {}).moved_files == 2);
  }
  SUBCASE("of several the one that shares most") {
    const Recording after = after_with({"/x/other/__init__.py:1:g"}, {"/x/app/__init__.py:1:g"});
    const Comparison result = compared(before, after, {});
    CHECK(result.moved_files == 1);
    CHECK(deltas(result).at("g __init__.py:1") == 512 + 512);
  }
  SUBCASE("of several that share as much, none") {
    const Recording after = after_with({"/x/app/model.py:1:f"}, {"/y/app/model.py:1:f"});
    CHECK(compared(before, after, {}).moved_files == 0);
  }
  SUBCASE("a file that both have stays what it is") {
    const Recording after = after_with({"/home/me/main/app/model.py:1:f"}, {"/x/app/model.py:1:f"});
    const Comparison result = compared(before, after, {});
    CHECK(result.moved_files == 0);
  }
}

TEST_CASE("a script under another name is the same where functions and most of the name are") {
  const auto script = [](const std::string& name, const std::string& function, std::uint64_t bytes) {
    return with_blocks({{{"/app/" + name + ":7:" + function, "/app/" + name + ":9:<module>"}, bytes}});
  };
  const auto compare = [&](const std::string& name, const std::string& function) {
    return compared(script("profile_grad.py", "step", 512), script(name, function, 2048), {});
  };
  const Comparison renamed = compare("profile_no_grad.py", "step");
  CHECK(renamed.script_before == "profile_grad.py");
  CHECK(renamed.script_after == "profile_no_grad.py");
  CHECK(renamed.moved_files == 0);
  CHECK(script_text(renamed) ==
        "profile_grad.py and profile_no_grad.py have the same functions, and are compared as one script");
  CHECK(deltas(renamed) == std::map<std::string, std::int64_t>{{"step profile_no_grad.py:7", 1536}});
  for (const auto& [name, function] : {std::pair("serve.py", "step"), std::pair("profile_no_grad.py", "other")}) {
    const Comparison other = compare(name, function);
    CHECK(other.script_before.empty());
    CHECK(deltas(other).size() == 2);
  }
}

TEST_CASE("a snapshot compared with itself has no difference") {
  const Recording snapshot = with_blocks({{{"/app/a.py:1:f"}, 512}, {{}, 1024}});
  const Comparison same = compared(snapshot, snapshot, {});
  CHECK(deltas(same).empty());
  CHECK(same.changes.empty());
  CHECK(same.only_before.empty());
  CHECK(same.only_after.empty());
  CHECK(same.in_both.size() == 1);
  CHECK(same.tree.root().total.delta_bytes() == 0);
  CHECK(same.requested_delta_bytes() == 0);
}

TEST_CASE("stacks that grew, shrank, came and went keep their place") {
  const Recording before =
      with_blocks({{{"/app/a.py:1:grown"}, 512}, {{"/app/b.py:1:shrunk"}, 2048}, {{"/app/c.py:1:gone"}, 1024}});
  const Recording after =
      with_blocks({{{"/app/a.py:1:grown"}, 1536}, {{"/app/b.py:1:shrunk"}, 512}, {{"/app/d.py:1:added"}, 4096}});
  const Comparison result = compared(before, after, {});
  CHECK(deltas(result) ==
        std::map<std::string, std::int64_t>{
            {"grown a.py:1", 1024}, {"shrunk b.py:1", -1536}, {"gone c.py:1", -1024}, {"added d.py:1", 4096}});
  SUBCASE("the root has each file's own total, and room for both") {
    const Change& root = result.tree.root().total;
    CHECK(root.before.bytes == 3584);
    CHECK(root.after.bytes == 6144);
    CHECK(root.width_bytes == 1536 + 2048 + 1024 + 4096);
  }
  SUBCASE("the largest change is named first") {
    REQUIRE(result.changes.size() == 4);
    CHECK(node_label(result.frames, result.changes[0].key) == "added d.py:1");
    CHECK(result.changes[1].change.delta_bytes() == -1536);
  }
  SUBCASE("the other way round, every difference has the other sign") {
    const Comparison reverse = compared(after, before, {});
    for (const auto& [label, delta] : deltas(reverse))
      CHECK(delta == -deltas(result).at(label));
    CHECK(reverse.requested_delta_bytes() == -result.requested_delta_bytes());
  }
}

TEST_CASE("--match function sees through moved lines") {
  const Recording before = with_blocks({{{"/app/a.py:10:f"}, 512}});
  const Recording after = with_blocks({{{"/app/a.py:14:f"}, 512}});
  CompareOptions by_line;
  by_line.match = FrameMatch::line;
  CHECK(deltas(compared(before, after, by_line)).size() == 2);
  CompareOptions by_function;
  by_function.match = FrameMatch::function;
  CHECK(deltas(compared(before, after, by_function)).empty());
}

TEST_CASE("where most lines only moved, functions are compared without being asked") {
  const Recording before =
      with_blocks({{{"/app/a.py:10:f"}, 4096}, {{"/app/a.py:20:g"}, 1024}, {{"/app/b.py:3:h"}, 512}});
  SUBCASE("an edit above them moved them all") {
    const Recording after =
        with_blocks({{{"/app/a.py:14:f"}, 6144}, {{"/app/a.py:24:g"}, 1024}, {{"/app/b.py:3:h"}, 512}});
    const Comparison result = compared(before, after, {});
    CHECK(result.match == FrameMatch::function);
    CHECK(result.is_match_chosen);
    CHECK(result.moved_lines_bytes == 4096 + 1024);
    CHECK(deltas(result) == std::map<std::string, std::int64_t>{{"f a.py:14", 2048}});
    const Comparison back = compared(after, before, {});
    CHECK(back.match == FrameMatch::function);
    CHECK(deltas(back) == std::map<std::string, std::int64_t>{{"f a.py:10", -2048}});
  }
  SUBCASE("most is held by other functions, so lines keep their meaning") {
    const Recording after =
        with_blocks({{{"/app/a.py:10:other"}, 4096}, {{"/app/a.py:24:g"}, 1024}, {{"/app/b.py:3:h"}, 512}});
    const Comparison result = compared(before, after, {});
    CHECK(result.match == FrameMatch::line);
    CHECK(result.moved_lines_bytes == 1024);
    CHECK(deltas(result).size() == 4);
  }
  SUBCASE("what moved is a trifle of all") {
    const Recording after =
        with_blocks({{{"/app/a.py:10:f"}, 4096}, {{"/app/a.py:20:g"}, 1024}, {{"/app/b.py:5:h"}, 512}});
    CHECK(compared(before, after, {}).match == FrameMatch::line);
  }
  SUBCASE("asked for lines, it compares lines") {
    CompareOptions by_line;
    by_line.match = FrameMatch::line;
    const Comparison result = compared(before, with_blocks({{{"/app/a.py:14:f"}, 4096}}), by_line);
    CHECK(result.match == FrameMatch::line);
    CHECK(!result.is_match_chosen);
  }
}

TEST_CASE("other lines of a file that no one edited are no lines that moved") {
  // Both files know both lines: the first line ran in one, the second in the other.
  const auto at_line = [](const char* held) {
    SnapshotBuilder builder;
    builder.segment(0x1000, 4096).active(4096, 4096, {held});
    for (const char* known : {"/app/a.py:10:f", "/app/a.py:14:f"})
      builder.alloc(0x9000, 512, {known}).free(0x9000, 512);
    return builder.read();
  };
  const Comparison result = compared(at_line("/app/a.py:10:f"), at_line("/app/a.py:14:f"), {});
  CHECK(result.match == FrameMatch::line);
  CHECK(deltas(result).size() == 2);
}

TEST_CASE("a function with several lines is shown with the one that holds most, when functions are compared") {
  const Recording before =
      with_blocks({{{"/app/a.py:10:f"}, 512}, {{"/app/a.py:11:f"}, 512}, {{"/app/a.py:30:g"}, 512}});
  const Recording after =
      with_blocks({{{"/app/a.py:20:f"}, 2048}, {{"/app/a.py:21:f"}, 512}, {{"/app/a.py:40:g"}, 2048}});
  CompareOptions by_function;
  by_function.match = FrameMatch::function;
  CHECK(deltas(compared(before, after, by_function)) ==
        std::map<std::string, std::int64_t>{{"f a.py:20", 1536}, {"g a.py:40", 1536}});
}

TEST_CASE("a row of a function is named by the line that allocates, not by one that calls others") {
  CompareOptions by_function;
  by_function.match = FrameMatch::function;
  const Recording before =
      with_blocks({{{"/app/b.py:3:load", "/app/a.py:40:main"}, 8192}, {{"/app/a.py:30:main"}, 512}});
  const Recording after =
      with_blocks({{{"/app/b.py:3:load", "/app/a.py:42:main"}, 8192}, {{"/app/a.py:32:main"}, 2048}});
  CHECK(deltas(compared(before, after, by_function)) == std::map<std::string, std::int64_t>{{"main a.py:32", 1536}});
  SUBCASE("where it allocates before alone, the line is that of before") {
    const Recording gone = with_blocks({{{"/app/b.py:3:load", "/app/a.py:42:main"}, 8192}});
    CHECK(deltas(compared(before, gone, by_function)) == std::map<std::string, std::int64_t>{{"main a.py:30", -512}});
  }
}

TEST_CASE("functions of one name in one file are rows of their own, when functions are compared") {
  CompareOptions by_function;
  by_function.match = FrameMatch::function;
  const Recording before = with_blocks({{{"/app/a.py:10:forward"}, 512},
                                        {{"/app/a.py:12:<listcomp>"}, 512},
                                        {{"/app/a.py:14:forward"}, 512},
                                        {{"/app/a.py:20:__init__"}, 512},
                                        {{"/app/a.py:30:forward"}, 512}});
  SUBCASE("the second of two grew") {
    const Recording after = with_blocks({{{"/app/a.py:11:forward"}, 512},
                                         {{"/app/a.py:13:<listcomp>"}, 512},
                                         {{"/app/a.py:15:forward"}, 512},
                                         {{"/app/a.py:21:__init__"}, 512},
                                         {{"/app/a.py:31:forward"}, 4096}});
    CHECK(deltas(compared(before, after, by_function)) ==
          std::map<std::string, std::int64_t>{{"forward a.py:31", 3584}});
  }
  SUBCASE("one is new, so that which is which is unknown") {
    const Recording after = with_blocks({{{"/app/a.py:11:forward"}, 512},
                                         {{"/app/a.py:21:__init__"}, 512},
                                         {{"/app/a.py:31:forward"}, 512},
                                         {{"/app/a.py:40:__init__"}, 512},
                                         {{"/app/a.py:50:forward"}, 4096}});
    CHECK(deltas(compared(before, after, by_function)) ==
          std::map<std::string, std::int64_t>{
              {"<listcomp> a.py:12", -512}, {"__init__ a.py:21", 512}, {"forward a.py:50", 3584}});
  }
}

TEST_CASE("a device without memory takes no part in a comparison") {
  SnapshotBuilder one;
  one.segment(0x1000, 512, 0).active(512, 512);
  SnapshotBuilder other;
  other.segment(0x1000, 512, 0).active(512, 512);
  other.event("snapshot", 0, 0, {}, 1);
  const Comparison result = compared(one.read(), other.read(), {});
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings[0].device == DeviceId{0});
}

TEST_CASE("only the device asked for is compared") {
  SnapshotBuilder one;
  one.segment(0x1000, 512, 0).active(512, 512);
  one.segment(0x9000, 512, 1).active(512, 512);
  SnapshotBuilder other;
  other.segment(0x1000, 512, 0).active(512, 512);
  CompareOptions options;
  options.tree.device = DeviceId{0};
  const Comparison result = compared(one.read(), other.read(), options);
  CHECK(result.only_before.empty());
  CHECK(result.before.reserved_bytes == 512);
  CHECK(result.tree.root().total.before.bytes == 512);
}

TEST_CASE("the three figures are of the whole recordings, and the lists of the end, whatever moment is compared") {
  const auto recording = [](std::uint64_t peak_bytes) {
    SnapshotBuilder builder;
    builder.segment(0x1000, 2 * MiB).active(1024, 1000, {"/app/a.py:1:kept"}).inactive(2 * MiB - 1024);
    builder.event("segment_alloc", 0x1000, 2 * MiB).alloc(0x1000, 1000, {"/app/a.py:1:kept"});
    builder.event("segment_alloc", 0x900000, 20 * MiB).alloc(0x900000, peak_bytes, {"/app/a.py:2:passing"});
    builder.free(0x900000, peak_bytes).event("segment_free", 0x900000, 20 * MiB);
    return builder;
  };
  Recording before = recording(MiB).read();
  Recording after = recording(8 * MiB).read();
  const MemoryState before_peak = state_at(before, kPeak);
  const MemoryState after_peak = state_at(after, kPeak);
  const Comparison result = compare_snapshots(before_peak, after_peak, {});
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings[0].of(Gauge::peak).change_bytes() == 7 * MiB);
  CHECK(result.readings[0].of(Gauge::end).change_bytes() == 0);
  CHECK(result.readings[0].of(Gauge::reserved).after_bytes == 2 * MiB);
  CHECK(result.after.reserved_bytes == 22 * MiB); // at the peak
  CHECK(result.only_before.empty());
  CHECK(result.only_after.empty());
  CHECK(result.in_both.size() == 1);
  CHECK(node_label(result.frames, result.changes.at(0).key) == "passing a.py:2");
}

TEST_CASE("devices that are at their own moments are not added up") {
  SnapshotBuilder builder;
  for (const int device : {0, 1}) {
    const std::uint64_t base = 0x1000000 * static_cast<std::uint64_t>(device + 1);
    builder.segment(base, 2 * MiB, device).active(MiB, MiB, {"/app/a.py:1:f"}).inactive(MiB);
    builder.event("alloc", base, MiB, {"/app/a.py:1:f"}, device);
  }
  Recording peak = builder.read();
  const MemoryState at_peak = state_at(peak, kPeak);
  const Recording nothing = SnapshotBuilder().read();
  CompareOptions options;
  options.tree.levels = {Level::device, Level::state};
  const Comparison apart = compare_snapshots(end_of(nothing), at_peak, options);
  CHECK(!apart.is_one_moment);
  REQUIRE(apart.changes.size() == 2);
  CHECK(apart.changes[0].device == DeviceId{0});
  CHECK(apart.changes[0].change.delta_bytes() == MiB);
  CHECK(apart.changes[1].device == DeviceId{1});
  const Comparison together = compared(nothing, builder.read(), options);
  CHECK(together.is_one_moment);
  REQUIRE(together.changes.size() == 1);
  CHECK(together.changes[0].change.delta_bytes() == 2 * MiB);
}
