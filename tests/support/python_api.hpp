#pragma once

// The commands and their options -> python/memviz_torch/_api.py: a function for each command, whose keywords are its
// options, with their types and their words.

#include <string>

namespace memviz::test {

/// Throws std::out_of_range for an option with a value that has no type in Python yet.
[[nodiscard]] std::string python_api();

} // namespace memviz::test
