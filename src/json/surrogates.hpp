#pragma once

// JSON in which a string holds half of a surrogate pair, as Python's json writes what is not text (a file name that is
// not UTF-8) -> JSON that a strict parser takes. In a pickle the same string is read with U+FFFD in that place.

#include <string>
#include <string_view>

namespace memviz::json {

/// A copy of `bytes`, as long as they are, with `\ufffd` for each such escape; "" where there is none.
[[nodiscard]] std::string without_lone_surrogates(std::string_view bytes);

} // namespace memviz::json
