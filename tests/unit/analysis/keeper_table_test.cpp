#include "memviz/keeper_table.hpp"
#include "memviz/replay.hpp"
#include "support/files.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kListAddress = 0x1000000;

/// Two blocks that a list in a running function keeps, one that a global keeps, and one without an object, after a
/// block that was freed at the address of the first.
MemoryState program_at(const MomentChoice& choice) {
  KeeperBuilder keepers;
  const int frame = keepers.object("frame", {.name = "validate", .file = "/home/me/train.py", .line = 12});
  const int list = keepers.object("list", {.items = 2});
  const int globals = keepers.object("globals", {.name = "__main__", .file = "/home/me/train.py"});
  keepers.root("local", frame).refer(frame, "local", "outputs", list);
  keepers.refer(list, "index", 0, keepers.tensor(kListAddress, MiB));
  keepers.refer(list, "index", 1, keepers.tensor(kListAddress + MiB, MiB));
  keepers.root("main", globals).refer(globals, "global", "weight", keepers.tensor(kListAddress + 2 * MiB, MiB));
  const std::vector<std::string> stack{"/home/me/train.py:12:validate"};
  SnapshotBuilder snapshot;
  snapshot.segment(kListAddress, 4 * MiB)
      .active(MiB, MiB, stack)
      .active(MiB, MiB, stack)
      .active(MiB, MiB, stack)
      .active(MiB, MiB, stack);
  snapshot.alloc(kListAddress + 3 * MiB, MiB, stack)
      .alloc(kListAddress, MiB, stack)
      .alloc(kListAddress + MiB, MiB, stack);
  snapshot.free(kListAddress, MiB).alloc(kListAddress + 2 * MiB, MiB, stack).alloc(kListAddress, MiB, stack);
  return rewind(snapshot.set("memviz_keepers", keepers.python()).read(), choice);
}

struct Line {
  std::string name;
  std::uint64_t mebibytes = 0;
  std::uint64_t blocks = 0;
  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> lines_of(const MemoryState& state, const KeeperLines& found) {
  std::vector<Line> lines;
  for (const KeeperLine& line : found.lines) {
    const KeeperStep key = key_of(line, found.table);
    const std::string name(state.frames().text(key.text));
    lines.push_back({name.empty() ? std::to_string(static_cast<int>(key.part)) : name, line.amount.bytes / MiB,
                     line.amount.blocks});
  }
  std::ranges::sort(lines, {}, &Line::name);
  return lines;
}

const std::string kNoObject = std::to_string(static_cast<int>(KeeperPart::no_object));
const std::string kFreed = std::to_string(static_cast<int>(KeeperPart::freed));

} // namespace

TEST_CASE("every block in use is on the line of its keeper, and their bytes add up") {
  const MemoryState state = program_at({});
  const KeeperLines found = keeper_lines(KeeperAnswers(*state.recording), state, std::nullopt);
  CHECK(lines_of(state, found) == std::vector<Line>{{kNoObject, 1, 1}, {"outputs", 2, 2}, {"weight", 1, 1}});
  REQUIRE(found.table.keepers.size() == 3);
  CHECK(found.table.keepers[0].bytes() == 2 * MiB);
  CHECK(found.table.keepers[0].retained_bytes == 2 * MiB);
  CHECK(found.table.keepers[0].blocks == 2);
  CHECK(found.of_block[0] == found.of_block[1]);
  CHECK(found.path_of_block[0].path == found.path_of_block[1].path);
  CHECK(found.path_of_block[0].item != found.path_of_block[1].item);
  CHECK(found.path_of_block[2] != found.path_of_block[3]);
  for (const KeeperLine& line : found.lines)
    CHECK(line.kinds.empty());
}

TEST_CASE("at an earlier moment a block that was freed has no keeper, not that of the next one at its address") {
  const MemoryState state = program_at({.kind = MomentKind::event, .event = EventIndex(2)});
  const KeeperLines found = keeper_lines(KeeperAnswers(*state.recording), state, std::nullopt);
  CHECK(lines_of(state, found) == std::vector<Line>{{kNoObject, 1, 1}, {kFreed, 1, 1}, {"outputs", 1, 1}});
  std::uint64_t bytes = 0;
  for (const KeeperLine& line : found.lines)
    bytes += line.amount.bytes;
  CHECK(bytes == state.devices.at(0).figures.requested_bytes);
}

TEST_CASE(
    "a keeper as a line has the place of its root, so that variables of one name in two functions are two lines") {
  const MemoryState state = program_at({});
  const KeeperLines found = keeper_lines(KeeperAnswers(*state.recording), state, std::nullopt);
  const KeeperStep key = keeper_key(found.table.keepers[0]);
  CHECK(key.is_keeper());
  CHECK(state.frames().text(key.file) == "/home/me/train.py");
  CHECK(key.line == 12);
}

TEST_CASE("real blocks are found by device and address") {
  const Recording recording = read_snapshot(read_bytes(testdata_file("keepers_key")));
  const EndKeepers keepers{KeeperAnswers(recording)};
  std::uint64_t kept_bytes = 0;
  for (const KeptVariable& keeper : keepers.table().keepers)
    kept_bytes += keeper.bytes();
  std::uint64_t bytes = 0;
  for (const Segment& segment : recording.end.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = recording.end.blocks[i];
      CHECK((keepers.path_at(segment.device, block.address).path != kNoPath) == block.is_active());
      CHECK(keepers.path_at(segment.device, block.address + 1).path == kNoPath);
      CHECK(keepers.path_at(DeviceId{63}, block.address).path == kNoPath);
      bytes += block.is_active() ? block.requested_bytes : 0;
    }
  CHECK(kept_bytes == bytes);
}
