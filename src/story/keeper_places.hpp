#pragma once

// The lines that set a variable, and one that uses it -> a part of a sentence.

#include "memviz/keeper_answers.hpp"

#include <string>

namespace memviz {

/// Returns ", set in lines 8 and 13" of a local variable, ", set by <module> train.py:3, used by hook train.py:8" of a
/// global; "" if no line is known.
[[nodiscard]] std::string variable_places_text(const FrameTable& frames, const KeptVariable& variable);

} // namespace memviz
