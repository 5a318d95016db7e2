#include "memviz/flame.hpp"
#include "memviz/keeper_table.hpp"
#include "memviz/replay.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_svg.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

MemoryState state_in(const char* name) {
  return replay(std::make_shared<const Recording>(read_snapshot(read_bytes(testdata_file(name)))));
}

std::string shown(const std::string& svg) {
  check_svg(svg);
  return visible_text(parse_svg(svg));
}

std::string state_drawn(const MemoryState& state, ColorBy color) {
  return state_svg({.file = "a.pickle", .state = state, .device = std::nullopt}, {.color = color});
}

std::string timeline_drawn(const MemoryState& state, ColorBy color) {
  std::vector<TimelineDevice> devices;
  for (DeviceRecord& record : record_timeline(*state.recording)) {
    const Window window{0, record.states() - 1};
    devices.push_back({std::move(record), window});
  }
  return timeline_svg({"a.pickle", state, devices}, {.color = color});
}

} // namespace

TEST_CASE("a flame graph by keeper lists variables, and not lines of code") {
  const MemoryState state = state_in("keepers_key");
  const FrameTree tree = build_frame_tree(state, {.levels = {Level::state, Level::keeper}, .has_frames = false});
  const FlamePicture picture{.file = "a.pickle",
                             .subject = memory_subject(state, std::nullopt),
                             .tree = tree,
                             .keeper = "Keeper: a sentence.",
                             .keepers = keeper_lines(KeeperAnswers(*state.recording), state, std::nullopt)};
  const std::string svg = flame_svg(picture, {});
  const std::string text = shown(svg);
  CHECK(contains(text, "Who keeps it, by variable"));
  CHECK(contains(text, "outputs in validate train.py:31"));
  CHECK(!contains(text, "by your own line of code"));
  // A click on a row leads to the box of its variable, whose tooltip has the whole path.
  CHECK(contains(svg, R"(data-find="outputs")"));
  CHECK(contains(svg, "[*]\noutputs[*] in validate train.py:31\n"));
  CHECK(contains(svg, "outputs in validate train.py:31\nDropping it frees 92.1 MiB.\n"));
}

TEST_CASE("a state by keeper has a colour for each variable, and lists them") {
  const std::string text = shown(state_drawn(state_in("keepers_key"), ColorBy::keeper));
  CHECK(contains(text, "Who keeps it at the end, by variable"));
  CHECK(contains(text, "outputs train.py:31"));
  CHECK(contains(text, "no Python object refers to it"));
  CHECK(!contains(text, "without a stack"));
}

TEST_CASE("segments that look the same are drawn separately if different variables keep their blocks") {
  KeeperBuilder keepers;
  SnapshotBuilder snapshot;
  const int frame = keepers.object("frame", {.name = "train", .file = "/home/me/train.py", .line = 12});
  keepers.root("local", frame);
  for (const char* const variable : {"first", "second"}) {
    const int list = keepers.object("list", {.items = 2});
    keepers.refer(frame, "local", variable, list);
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t address =
          0x1000000 + (variable[0] == 'f' ? 0U : 16U) * MiB + static_cast<unsigned>(i) * 4 * MiB;
      snapshot.segment(address, 2 * MiB).active(MiB, MiB, {"/home/me/train.py:3:make"}).inactive(MiB);
      keepers.refer(list, "index", i, keepers.tensor(address, MiB));
    }
  }
  snapshot.set("memviz_keepers", keepers.python());
  const std::string svg = state_drawn(replay(std::make_shared<const Recording>(snapshot.read())), ColorBy::line);
  CHECK(contains(shown(svg), "×2"));
  CHECK(contains(svg, "kept by first[*]"));
  CHECK(contains(svg, "kept by second[*]"));
}

TEST_CASE("blocks name their items, but not where one segment is drawn for several") {
  KeeperBuilder keepers;
  SnapshotBuilder snapshot;
  const int frame = keepers.object("frame", {.name = "train", .file = "/home/me/train.py", .line = 12});
  keepers.root("local", frame);
  const int list = keepers.object("list", {.items = 7});
  keepers.refer(frame, "local", "outputs", list);
  for (const std::uint64_t address : {0x1000000U, 0x2000000U, 0x3000000U}) {
    const bool is_last = address == 0x3000000U;
    auto&& segment = snapshot.segment(address, 2 * MiB);
    segment.active(is_last ? 2 * MiB : MiB, MiB, {"/home/me/train.py:3:make"});
    if (!is_last) segment.inactive(MiB);
    keepers.refer(list, "index", static_cast<int>(address >> 24U) + 3, keepers.tensor(address, MiB));
  }
  snapshot.set("memviz_keepers", keepers.python());
  const MemoryState state = replay(std::make_shared<const Recording>(snapshot.read()));
  const std::string svg = state_drawn(state, ColorBy::line);
  CHECK(contains(svg, ",0:6</cell>"));
  CHECK(!contains(svg, ",0:4"));
  CHECK(!contains(svg, ",0:5"));
  CHECK(contains(timeline_drawn(state_in("keepers_key"), ColorBy::line), R"(data-keeper="0:1")"));
}

TEST_CASE("a timeline by keeper has a colour for each variable, and one for what was freed before the end") {
  const std::string text = shown(timeline_drawn(state_in("keepers_key"), ColorBy::keeper));
  CHECK(contains(text, "by the variable that keeps it at the end"));
  CHECK(contains(text, "outputs train.py:31"));
  CHECK(contains(text, "colour = variable that keeps it at the end"));
  CHECK(contains(text, "freed before the end"));
}

TEST_CASE("pictures of recordings without keepers have nothing of them, and colours by keeper are others") {
  const MemoryState state = state_in("recorder_key");
  for (const ColorBy color : {ColorBy::line, ColorBy::keeper}) {
    const std::string board = state_drawn(state, color);
    CHECK(!contains(board, "kept by"));
    CHECK(!contains(shown(board), "variable"));
    const std::string chart = timeline_drawn(state, color);
    CHECK(!contains(chart, "data-keeper=\""));
    CHECK(!contains(shown(chart), "variable"));
  }
}
