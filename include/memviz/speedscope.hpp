#pragma once

// FrameTree -> a file for speedscope: sampled profiles whose unit is bytes, with the levels of the tree as frames.
// Source: https://www.speedscope.app/file-format-schema.json

#include "memviz/export.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// A profile: the memory below a node, whose sum is the node's total.
struct SpeedscopeProfile {
  std::string name;
  NodeId top = kRoot;
};

struct SpeedscopeSubject {
  std::string name; ///< of the whole
  const FrameTable& frames;
  const FrameTree& tree;
  std::vector<SpeedscopeProfile> profiles; ///< of different parts of the tree; speedscope shows the first
  std::uint64_t file_bytes = 0;            ///< of the snapshot
};

/// Returns the file. In each profile memory in use comes before free memory, and the largest boxes come first. Keeps
/// the references of `subject`. Throws Error if the stacks are out of all proportion to a file of `file_bytes`.
[[nodiscard]] TextSource speedscope_source(const SpeedscopeSubject& subject);

} // namespace memviz
