#pragma once

// The figures of a rehearsed run -> sentences about it.

#include "verdict/fit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// "generation/utils.py:395 (40,000 times), train.py:20 (3)"
[[nodiscard]] std::string read_lines_text(const std::vector<ReadLine>& reads);
/// "fits", "may fit", "does not fit" or "no answer"
[[nodiscard]] std::string_view answer_word(const FitVerdict& verdict);
/// "Fits on NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.2 GiB at the peak, 38.0 GiB left."
[[nodiscard]] std::string headline(const FitVerdict& verdict);
/// "NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.2 GiB at the peak, 38.0 GiB left"
[[nodiscard]] std::string room_text(const FitVerdict& verdict);
/// headline() in a few words, for one run of many: "fits: 41.2 GiB of 79.2 GiB".
[[nodiscard]] std::string short_text(const FitVerdict& verdict);
/// "expandable_segments:True", "foreach=False"
[[nodiscard]] std::string_view change_name(FitChange change);
/// Puts the changes that were tried and let the program go on before the other advice, and removes the untried advice
/// about the changes that were tried.
void replace_advice(FitVerdict& verdict);

/// Returns sentences about everything that is not, or cannot be, known.
[[nodiscard]] std::vector<std::string> notes(const FitVerdict& verdict);

/// Returns the largest part of the peak, by kind: "activations 61 %"; "" if no kind is known.
[[nodiscard]] std::string largest_part(const FitVerdict& verdict);
/// Returns what decides the outcome, for a table: "activations 61 %, forward model.py:12" if it fits, "2.00 GiB asked
/// for; most is held by forward model.py:12" if it does not, else why there is no answer.
[[nodiscard]] std::string deciding_memory(const FitVerdict& verdict);

} // namespace memviz::rehearse
