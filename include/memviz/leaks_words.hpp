#pragma once

// Leaks -> sentences about the steps that they were looked for in.

#include "memviz/leaks.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// "high", "medium" or "low"
[[nodiscard]] std::string_view confidence_word(Confidence confidence);

/// Why nothing can be said of so few steps, without a full stop; "" if there are enough.
[[nodiscard]] std::string steps_note(const Recording& recording, const Steps& steps);

/// Why steps that are a guess are no more than that, without a full stop.
[[nodiscard]] std::string guess_note(const Steps& steps);

} // namespace memviz
