#pragma once

// FrameTree -> a file for speedscope: one sampled profile whose unit is bytes, with the levels of the tree as frames.
// Source: https://www.speedscope.app/file-format-schema.json

#include "memviz/export.hpp"
#include "memviz/tree.hpp"

#include <string>

namespace memviz {

/// Returns the file. The sum of all weights is the total of the tree's root. Keeps references to `frames` and `tree`.
/// Throws Error if the stacks are out of all proportion to a file of `file_bytes`.
[[nodiscard]] TextSource speedscope_source(const std::string& name, const FrameTable& frames, const FrameTree& tree,
                                           std::uint64_t file_bytes);

} // namespace memviz
