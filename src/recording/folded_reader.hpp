#pragma once

// Folded stacks, `a;b;c BYTES`, as `memviz export --format folded`, flamegraph.pl and many tools write them -> the
// document of a snapshot with a block for each line. Such a text has neither addresses nor events.

#include "value/document.hpp"

#include <string_view>

namespace memviz {

/// Whether the first line is a stack of several frames and a number.
[[nodiscard]] bool looks_like_folded(std::string_view bytes);

/// Interprets a leading `stream_N` and a state; every other part of a line is a frame, `file:line:function` or a name.
/// Throws ParseError for a line without a number.
[[nodiscard]] Document folded_document(std::string_view bytes);

} // namespace memviz
