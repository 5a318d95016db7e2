#pragma once

// The words of --search -> an axis of a rehearsal, and its values in the words of the program.

#include "io/foreground.hpp"
#include "verdict/fit_runs.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

/// Parses "NAME=LOW..HIGH", a number, and "NAME=VALUE,VALUE...", values. Throws UsageError that names --search.
[[nodiscard]] Axis parse_search(const std::string& text);

/// Makes a number an axis of its lowest number, the doubles of that below the highest, and the highest.
void double_numbers(Axis& axis);

/// Parses "NAME=VALUE". Throws UsageError that names `option`.
[[nodiscard]] std::pair<std::string, std::string> parse_setting(std::string_view option, const std::string& text);

/// Returns the words with each `{NAME}` replaced by its value, and each `{}` by the first.
[[nodiscard]] std::vector<std::string> with_values(std::vector<std::string> words, const Variables& values);

} // namespace memviz::rehearse
