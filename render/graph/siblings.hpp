#pragma once

// Boxes and their room -> the label that each one shows, so that no two boxes under one parent say the same.

#include "graph/describe.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace memviz::render {

/// The label of each box; "" where none fits. Where siblings would show the same words they get what distinguishes
/// them: the line ("update :62"), else file and line, else more of the folder; of a level above the stacks, the end of
/// its name.
[[nodiscard]] std::vector<std::string> shown_labels(const Graph& graph,
                                                    const std::function<std::size_t(const GraphBox&)>& columns_in);

} // namespace memviz::render
