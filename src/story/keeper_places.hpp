#pragma once

// The lines that set a variable, would set it or use it -> a part of a sentence.

#include "memviz/keeper_answers.hpp"

#include <optional>
#include <string>

namespace memviz {

/// Returns ", set in lines 8 and 13" of a local variable, ", set by <module> train.py:3, used by hook train.py:8" of a
/// global; "" if no line is known.
[[nodiscard]] std::string variable_places_text(const FrameTable& frames, const KeptVariable& variable);

/// Returns ", which would set `model`" for the variable that gets the value of running code, ", whose value would set
/// `model` in <module> train.py:9" if code that called it gives it that value; "" without one.
[[nodiscard]] std::string pending_text(const FrameTable& frames, const KeeperStep& code,
                                       const std::optional<PendingVariable>& pending);

} // namespace memviz
