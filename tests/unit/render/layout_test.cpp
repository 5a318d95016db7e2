#include "graph/layout.hpp"
#include "page/naming.hpp"
#include "support/tree_builder.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::render;
using memviz::test::tree_of;

namespace {

constexpr const char* kLibraryFolder = "/usr/lib/python3/dist-packages/";

Layout<Amount> lay_out_all(const test::BuiltTree<Amount>& built, const LayoutOptions& options) {
  test::check_conserves_bytes(built.tree);
  return lay_out(built.tree, origins_of(built.frames), options);
}

std::string frames_path(std::size_t count, const std::string& file) {
  std::string path = "active_allocated";
  for (std::size_t i = 0; i < count; ++i)
    path += ";" + file + ":" + std::to_string(i + 1) + ":f" + std::to_string(i);
  return path;
}

} // namespace

TEST_CASE("lay_out places children side by side, widest first") {
  const auto built = tree_of({{"active_allocated;train.py:1:small", 100}, {"active_allocated;train.py:2:large", 300}});
  const auto layout = lay_out_all(built, {});
  REQUIRE(layout.boxes.size() == 4);
  CHECK(layout.units == 400);
  CHECK(layout.rows == 3);
  CHECK(layout.boxes[2].width_units == 300);
  CHECK(layout.boxes[2].x_units == 0);
  CHECK(layout.boxes[3].x_units == 300);
}

TEST_CASE("lay_out folds unbranching runs of frames that are not the user's own") {
  const std::string library = kLibraryFolder;
  const std::string run = ";" + library + "a.py:1:a;" + library + "b.py:2:b;" + library + "c.py:3:c";
  const auto built = tree_of({{"active_allocated" + run + ";train.py:9:step" + run, 500}});
  const auto layout = lay_out_all(built, {});
  REQUIRE(layout.boxes.size() == 5);
  CHECK(layout.boxes[2].kind == BoxKind::run);
  CHECK(layout.boxes[3].kind == BoxKind::node);
  CHECK(layout.boxes[4].kind == BoxKind::run);
  CHECK(layout.rows == 5);
  SUBCASE("unless asked not to") {
    CHECK(lay_out_all(built, {.fold = Fold::nothing}).boxes.size() == 9);
  }
  SUBCASE("a run ends where bytes are its own") {
    const auto with_own = tree_of({{"active_allocated" + run, 500}, {"active_allocated;" + library + "a.py:1:a", 7}});
    const auto boxes = lay_out_all(with_own, {}).boxes;
    REQUIRE(boxes.size() == 5);
    CHECK(boxes[2].kind == BoxKind::node);
  }
}

TEST_CASE("lay_out merges what is too narrow and keeps its bytes") {
  std::vector<test::Leaf> leaves{{"active_allocated;train.py:1:large", 1'000'000}};
  for (int i = 0; i < 50; ++i)
    leaves.push_back({"active_allocated;train.py:" + std::to_string(i + 10) + ":tiny", 10});
  const auto layout = lay_out_all(tree_of(leaves), {.min_share = 0.001});
  REQUIRE(layout.boxes.size() == 4);
  const Box<Amount>& merged = layout.boxes.back();
  CHECK(merged.kind == BoxKind::smaller);
  CHECK(merged.total.bytes == 500);
  CHECK(merged.total.blocks == 50);
  CHECK(merged.stacks == 50);
  CHECK(merged.width_units == 500);
}

TEST_CASE("lay_out squeezes free memory that would eat the graph") {
  SUBCASE("when it is most of the root") {
    const auto layout = lay_out_all(tree_of({{"active_allocated;train.py:1:f", 1000}, {"inactive", 99'000}}), {});
    CHECK(layout.is_squeezed);
    const Box<Amount>& free = layout.boxes.back();
    CHECK(free.is_squeezed);
    CHECK(free.total.bytes == 99'000);
    CHECK(free.width_units == 250); // a fifth of 1250
    CHECK(layout.units == 1250);
    CHECK(layout.boxes.front().total.bytes == 100'000);
  }
  SUBCASE("not when it is little, or all there is") {
    CHECK_FALSE(lay_out_all(tree_of({{"active_allocated;train.py:1:f", 1000}, {"inactive", 200}}), {}).is_squeezed);
    CHECK_FALSE(lay_out_all(tree_of({{"inactive", 200}}), {}).is_squeezed);
    // Width is proportional to bytes as long as used memory has half of it.
    CHECK_FALSE(lay_out_all(tree_of({{"active_allocated;train.py:1:f", 500}, {"inactive", 499}}), {}).is_squeezed);
    CHECK(lay_out_all(tree_of({{"active_allocated;train.py:1:f", 499}, {"inactive", 500}}), {}).is_squeezed);
  }
}

TEST_CASE("lay_out bounds the rows of a deep stack") {
  const auto built = tree_of({{frames_path(5000, "train.py"), 64}});
  const auto layout = lay_out_all(built, {.max_rows = 100});
  CHECK(layout.rows == 100);
  CHECK(layout.boxes.back().kind == BoxKind::deeper);
  CHECK(layout.boxes.back().total.bytes == 64);
}

TEST_CASE("lay_out of a stack a million frames deep") {
  // A chain of the tree's own nodes: a path of text would be tens of megabytes.
  FrameTree tree;
  constexpr std::uint32_t kDeep = 1'000'000;
  for (std::uint32_t i = 0; i < kDeep; ++i) {
    const NodeKey key = i == 0 ? NodeKey{} : NodeKey(FrameId{0});
    const NodeId parent = i == 0 ? kNoNode : NodeId{i - 1};
    const NodeId child = i + 1 == kDeep ? kNoNode : NodeId{i + 1};
    tree.nodes.push_back({key, parent, child, kNoNode, i + 1 == kDeep ? Amount{64, 1} : Amount{}, {64, 1}});
  }
  for (const CodeOrigin origin : {CodeOrigin::user, CodeOrigin::cpp}) {
    const auto layout = lay_out(tree, {origin}, {});
    CHECK(layout.rows == 1000);
    CHECK(layout.boxes.back().kind == BoxKind::deeper);
    CHECK(layout.boxes.back().total.bytes == 64);
  }
}

TEST_CASE("lay_out bounds the length of a run") {
  const auto built = tree_of({{frames_path(1000, std::string(kLibraryFolder) + "deep.py"), 64}});
  const auto layout = lay_out_all(built, {});
  CHECK(layout.rows == 2 + 4); // 256 frames a box
}

TEST_CASE("lay_out of nothing") {
  CHECK(lay_out_all(tree_of({}), {}).boxes.empty());
}

TEST_CASE("lay_out keeps what vanished: a leaf is as wide as its larger side") {
  const auto built =
      test::diff_tree_of({{"active_allocated;train.py:1:gone", 700, 0}, {"active_allocated;train.py:2:came", 0, 300}});
  test::check_conserves_bytes(built.tree);
  const auto layout = lay_out(built.tree, origins_of(built.frames), {});
  CHECK(layout.units == 1000);
  CHECK(layout.boxes[2].width_units == 700);
  CHECK(layout.boxes[3].width_units == 300);
}

TEST_CASE("lay_out folds the user's own frames only where the graph is tall") {
  const auto deep = tree_of({{frames_path(300, "train.py"), 64}, {"active_allocated;train.py:1:f0", 8}});
  const auto layout = lay_out_all(deep, {.fold = Fold::tall});
  REQUIRE(layout.boxes.size() == 5); // root, state, f0, two runs of at most 256
  CHECK(layout.boxes[2].kind == BoxKind::node);
  CHECK(layout.boxes[3].kind == BoxKind::run);
  CHECK(layout.boxes.back().total.bytes == 64);
  CHECK(lay_out_all(deep, {}).rows == 302);
  const auto low = tree_of({{frames_path(20, "train.py"), 64}});
  CHECK(lay_out_all(low, {.fold = Fold::tall}).rows == 22);
}
