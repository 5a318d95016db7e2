#pragma once

// The FLOPs of a program -> text for people and JSON for programs.

#include "memviz/flops.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// Returns the text of `memviz flops`: operators, the table of a transformer, modules to a depth (0: as many levels as
/// fit in 40 lines), and what was not counted.
[[nodiscard]] std::string flops_text(const std::string& file, const ModelFlops& model, std::size_t depth = 0);

/// Returns all of it, with a schema's name and version.
[[nodiscard]] std::string flops_json(const std::string& file, const ModelFlops& model);

} // namespace memviz
