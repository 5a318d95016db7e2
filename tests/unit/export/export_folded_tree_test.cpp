#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/replay.hpp"
#include "support/keeper_builder.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kHeap = 0x1000000;

/// A block of each of two variables, whose names are given, one without an object, and free memory.
MemoryState program(const std::string& first, const std::string& second) {
  KeeperBuilder keepers;
  const int frame = keepers.object("frame", {.name = "validate", .file = "/home/me/train.py", .line = 12});
  keepers.root("local", frame).refer(frame, "local", first, keepers.tensor(kHeap, KiB));
  keepers.refer(frame, "local", second, keepers.tensor(kHeap + KiB, KiB));
  SnapshotBuilder snapshot;
  snapshot.segment(kHeap, 4 * KiB).active(KiB, 1000).active(KiB, KiB).active(KiB, KiB).inactive(KiB);
  return replay(std::make_shared<const Recording>(snapshot.set("memviz_keepers", keepers.python()).read()));
}

std::string folded(const MemoryState& state) {
  const FrameTree tree = build_frame_tree(state, {.levels = {Level::state, Level::keeper}, .has_frames = false});
  CHECK(tree.root().total.bytes == 4 * KiB);
  return whole_text(folded_tree_source(state, tree));
}

} // namespace

TEST_CASE("a tree by keeper is folded with all its bytes, sorted") {
  CHECK(folded(program("outputs", "loss")) == "active_allocated;<no Python object> 1024\n"
                                              "active_allocated;validate train.py:12;loss 1024\n"
                                              "active_allocated;validate train.py:12;outputs 1000\n"
                                              "active_allocated;validate train.py:12;outputs;<gaps> 24\n"
                                              "inactive 1024\n");
}

TEST_CASE("names in folded trees end no line and no path, and are no commands of a job's log") {
  CHECK(folded(program("a;b\n9", "##vso[task]")) == "active_allocated;<no Python object> 1024\n"
                                                    "active_allocated;validate train.py:12;# #vso[task] 1024\n"
                                                    "active_allocated;validate train.py:12;a:b 9 1000\n"
                                                    "active_allocated;validate train.py:12;a:b 9;<gaps> 24\n"
                                                    "inactive 1024\n");
}
