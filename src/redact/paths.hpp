#pragma once

// Names of files -> names without what they reveal about a machine or a person. The kind of code in a file, which
// decides its colour, rank and omission, stays the same.

#include "redact/hiding.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Whether the file belongs to Python, to torch's sources or to a widely known package.
[[nodiscard]] bool is_public_file(std::string_view filename);

/// "/site-packages/torch/nn/modules/linear.py" for a public file; "file_k3x9q2ma.py" for others, preceded by up to four
/// pseudonyms of folders, the last of which are the same in every checkout of a project.
[[nodiscard]] std::string hidden_path(std::string_view filename, const Hiding& hiding);

/// Hides the file name and keeps its folders.
[[nodiscard]] std::string hidden_module(std::string_view filename, const Hiding& hiding);

/// Returns text with hidden_path() in place of each path in it: from a root ("/", "C:\", "\\server", "~", "..") to a
/// quote, a bracket that closes around it or a line number, including blanks and commas; a relative path if it has two
/// separators, or ends like the name of a file.
[[nodiscard]] std::string without_paths(std::string_view text, const Hiding& hiding);

} // namespace memviz
