#pragma once

// JSON text -> Document: the JSON form of a snapshot, which MemoryViz.js accepts as well.

#include "value/document.hpp"

#include <string_view>

namespace memviz::json {

/// Throws ParseError with the offset of invalid JSON. The document owns its texts.
[[nodiscard]] Document read(std::string_view bytes);

} // namespace memviz::json
