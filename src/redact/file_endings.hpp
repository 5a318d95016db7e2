#pragma once

// The endings by which a name is recognised as a file's.

#include <string_view>

namespace memviz {

/// ".py", ".cu", ".yaml", ...: the ending of `path`, if it is that of a source or data file; "" otherwise.
[[nodiscard]] std::string_view known_extension(std::string_view path);

/// Whether an ending is that of source code: a name with it is a file's, even without a folder. An ending of data is
/// less certain: "nn.bin".
[[nodiscard]] bool is_source_ending(std::string_view ending);

} // namespace memviz
