#pragma once

// Boxes and their room -> the label of each one, so that no two boxes under one parent have the same.

#include "graph/describe.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace memviz::render {

/// Returns the label of each box; "" if none fits. Siblings whose labels would be the same get what distinguishes them:
/// the line ("update :62"), else file and line, else more of the folder; levels above the stacks, the end of their
/// name.
[[nodiscard]] std::vector<std::string> shown_labels(const FlameGraph& graph,
                                                    const std::function<std::size_t(const GraphBox&)>& columns_in);

} // namespace memviz::render
