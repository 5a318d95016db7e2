#pragma once

// The result of a check -> text for people and JSON for programs.

#include "memviz/check.hpp"

#include <string>

namespace memviz {

/// Returns the text, at most 100 columns wide except for names and warnings.
[[nodiscard]] std::string check_text(const CheckReport& report);

[[nodiscard]] std::string check_json(const CheckReport& report);

} // namespace memviz
