#pragma once

// Leaks -> sentences about the steps used to find them.

#include "memviz/leaks.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// "high", "medium" or "low"
[[nodiscard]] std::string_view confidence_word(Confidence confidence);

/// Returns why so few steps give no answer, without a full stop; "" if there are enough.
[[nodiscard]] std::string steps_note(const Recording& recording, const Steps& steps);

/// Returns why the steps are only a guess, without a full stop.
[[nodiscard]] std::string guess_note(const Steps& steps);

} // namespace memviz
