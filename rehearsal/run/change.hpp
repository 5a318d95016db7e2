#pragma once

// The value of --compare-with -> variables of the environment or arguments to run a program with for comparison; and
// those that set PyTorch's allocator.

#include "run/rehearsal_run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

struct RunChange {
  std::string name; ///< as answers have it: "NAME=VALUE", or the arguments
  Variables variables = {};
  std::vector<std::string> arguments = {};
};

/// Parses "NAME=VALUE", or arguments separated by spaces, of which the first begins with '-'. Throws UsageError that
/// names `option`.
[[nodiscard]] RunChange parse_change(std::string_view option, const std::string& text);

/// Returns the settings of PyTorch's allocator that can save memory, one each, added to those in the environment
/// (docs.pytorch.org/docs/stable/notes/cuda.html, "Optimizing memory usage").
[[nodiscard]] std::vector<RunChange> allocator_levers();

/// Returns the program's words, followed by the arguments of the change.
[[nodiscard]] std::vector<std::string> with_arguments(std::vector<std::string> words, const RunChange& change);

} // namespace memviz::rehearse
