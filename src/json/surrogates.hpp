#pragma once

// JSON in which a string contains half of a surrogate pair, as Python's json writes text that is not valid (a file name
// that is not UTF-8) -> JSON that a strict parser accepts. In a pickle the same string is read with U+FFFD in that
// place.

#include <string>
#include <string_view>

namespace memviz::json {

/// Returns a copy of `bytes`, of the same length, with `\ufffd` for each such escape; "" if there is none.
[[nodiscard]] std::string without_lone_surrogates(std::string_view bytes);

} // namespace memviz::json
