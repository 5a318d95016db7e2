#pragma once

// A rehearsed server and the range of the model of its driver's memory -> whether that range decides the answer.

#include "verdict/fit.hpp"

#include <string>

namespace memviz::rehearse {

/// Returns why the answer may be the other one on a real GPU: less memory is short, or left, than the driver may take
/// less, or more, than in the model. "" if it does not depend on that, or if there is no model.
[[nodiscard]] std::string model_doubt_text(const FitVerdict& verdict);

} // namespace memviz::rehearse
