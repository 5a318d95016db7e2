#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/replay.hpp"
#include "support/conservation.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

MemoryState state_of(const char* name) {
  return replay(std::make_shared<const Recording>(read_snapshot(read_bytes(testdata_file(name)))));
}

/// "LABEL > LABEL" of each node of a keeper's path where the path of a block ends.
std::vector<std::string> ends(const MemoryState& state, const FrameTree& tree) {
  std::vector<std::string> found;
  for (const auto& node : tree.nodes) {
    if (node.self.bytes == 0 || !std::holds_alternative<KeeperStep>(node.key)) continue;
    std::string text = node_label(state.frames(), node.key);
    for (NodeId at = node.parent; std::holds_alternative<KeeperStep>(tree[at].key); at = tree[at].parent)
      text.insert(0, node_label(state.frames(), tree[at].key) + " > ");
    found.push_back(text);
  }
  return found;
}

} // namespace

TEST_CASE("a tree by keeper has every block in use, and its bytes add up") {
  const MemoryState state = state_of("keepers_key");
  const FrameTree tree = build_frame_tree(state, {.levels = {Level::state, Level::keeper}, .has_frames = false});
  check_conserves_bytes(tree);
  CHECK(tree.root().total == build_frame_tree(state, {}).root().total);
  const std::vector<std::string> paths = ends(state, tree);
  const auto has = [&](const std::string& path) { return std::ranges::find(paths, path) != paths.end(); };
  CHECK(has("validate train.py:31 > outputs > [*] > <graph>"));
  CHECK(has("<cycle> > Node > .tensor"));
  CHECK(has("<no Python object>"));
}

TEST_CASE("stacks may follow below keepers, and without keepers all of them are unknown") {
  for (const char* const name : {"keepers_key", "recorder_key"}) {
    const MemoryState state = state_of(name);
    const FrameTree tree = build_frame_tree(state, {.levels = {Level::keeper}});
    check_conserves_bytes(tree);
    CHECK(tree.root().total == build_frame_tree(state, {}).root().total);
  }
  const MemoryState state = state_of("recorder_key");
  const FrameTree tree = build_frame_tree(state, {.levels = {Level::keeper}, .has_frames = false});
  CHECK(ends(state, tree) == std::vector<std::string>{"<unknown: the walk over the heap ended early>"});
}
