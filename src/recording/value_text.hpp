#pragma once

// Single values of settings and annotations -> text for people.

#include "value/document.hpp"

#include <string>

namespace memviz {

/// "True", "42", "0.8", a text itself; containers as "a list of 3".
[[nodiscard]] std::string value_text(const Document& document, Value value);

} // namespace memviz
