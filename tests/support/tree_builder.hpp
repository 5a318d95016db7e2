#pragma once

// Readable paths with bytes -> the trees that pictures and exports are made from, without a snapshot.
// A path is steps joined by ';', outermost first: "GPU 0", "stream 0", "segment 4096", "active_allocated",
// "active_pending_free", "inactive", a name in angle brackets as in kPseudoSteps, or a frame "dir/file.py:12:name".

#include "memviz/tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::test {

struct Leaf {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 1;
};

struct DiffLeaf {
  std::string path;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
};

template <class Weight> struct BuiltTree {
  FrameTable frames;
  Tree<Weight> tree;
};

[[nodiscard]] BuiltTree<Amount> tree_of(const std::vector<Leaf>& leaves);
[[nodiscard]] BuiltTree<Change> diff_tree_of(const std::vector<DiffLeaf>& leaves);

/// Fails the running test unless, at every node, own bytes and the children's totals add up to the total, and parents
/// come before their children.
void check_conserves_bytes(const FrameTree& tree);
void check_conserves_bytes(const DiffTree& tree);

} // namespace memviz::test
