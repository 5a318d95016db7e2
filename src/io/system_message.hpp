#pragma once

// errno -> the end of a sentence: "permission denied".

#include <string>

namespace memviz {

/// Returns the C library's text for an error number, starting in lower case because it follows a file's name and a
/// colon.
[[nodiscard]] std::string system_message(int error_number);

} // namespace memviz
