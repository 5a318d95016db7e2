#pragma once

// The answer to an out-of-memory error in a log -> text for people and JSON for programs.

#include "memviz/logged_error.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// Returns the answer with sentences wrapped to this width.
[[nodiscard]] std::string logged_error_text(const std::string& file, const LoggedErrors& errors,
                                            std::size_t columns = 100);
/// Returns one JSON object: the leading error with its figures, and the answer.
[[nodiscard]] std::string logged_error_json(const std::string& file, const LoggedErrors& errors);

} // namespace memviz
