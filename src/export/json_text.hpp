#pragma once

// A JSON value -> text, in the one form that all of memviz's JSON has.

#include <nlohmann/json.hpp>
#include <string>

namespace memviz {

/// On one line with `indent` -1; bytes that are not UTF-8 (a file's name may hold some) become U+FFFD. What would reach
/// past the text on a terminal or in the log of a job is escaped: control characters, marks of direction, commands.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent);

} // namespace memviz
