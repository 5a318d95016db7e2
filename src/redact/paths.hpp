#pragma once

// Names of files -> names without what they reveal of a machine or a person. What kind of code a file holds, by which
// it is coloured, ranked and left out, stays the same.

#include "redact/hiding.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Whether the file belongs to Python, to torch's sources or to a widely known package.
[[nodiscard]] bool is_public_file(std::string_view filename);

/// "/site-packages/torch/nn/modules/linear.py" for a public file; "file_k3x9q2ma.py" for others, with up to four
/// pseudonyms of folders before it, the last of which are the same in every checkout of a project.
[[nodiscard]] std::string hidden_path(std::string_view filename, const Hiding& hiding);

/// The file name is hidden, its folders are kept.
[[nodiscard]] std::string hidden_module(std::string_view filename, const Hiding& hiding);

/// Text with hidden_path() instead of each path in it: from a root ("/", "C:\", "\\server", "~", "..") to a quote
/// or bracket that closes around it or a line number, blanks and commas included; a relative one where it has two
/// separators, or ends like the name of a file.
[[nodiscard]] std::string without_paths(std::string_view text, const Hiding& hiding);

} // namespace memviz
