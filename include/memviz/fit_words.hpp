#pragma once

// The figures of rehearsed runs -> sentences about them.

#include "memviz/fit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// "generation/utils.py:395 (40,000 times), train.py:20 (3)"
[[nodiscard]] std::string read_lines_text(const std::vector<ReadLine>& reads);
/// "fits", "does not fit" or "no answer"
[[nodiscard]] std::string_view answer_word(FitOutcome outcome);
/// "Fits on NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.2 GiB at the peak, 38.0 GiB left."
[[nodiscard]] std::string headline(const FitVerdict& verdict);
/// The same in a few words, for one run of many: "fits: 41.2 GiB of 79.2 GiB".
[[nodiscard]] std::string short_text(const FitVerdict& verdict);
/// "expandable_segments:True", "foreach=False"
[[nodiscard]] std::string_view change_name(FitChange change);
/// Puts the changes that were tried and let the program go on before the other advice, and removes the untried advice
/// about the changes that were tried.
void replace_advice(FitVerdict& verdict);

/// Returns sentences about everything that is not, or cannot be, known.
[[nodiscard]] std::vector<std::string> notes(const FitVerdict& verdict);

/// "BATCH=4 is the largest that fits; BATCH=5 does not."
[[nodiscard]] std::string search_headline(const SearchReport& report);
/// "With LEN=1024 the largest BATCH is 24, with LEN=8192 it is 2. With LEN=16384 none fits."
[[nodiscard]] std::string frontier_headline(const FrontierReport& report);
/// "With NAME=VALUE: still fits; peak 41.2 GiB (+1.00 GiB), left 38.0 GiB (-1.00 GiB)."
[[nodiscard]] std::string variant_headline(const FitVerdict& usual, const Variant& variant);

/// "Rank 0 of 512 decides. Fits on NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.1 GiB at the peak, 37.9 GiB left. 3
/// of 512 ranks were rehearsed; the others may differ."
[[nodiscard]] std::string ranks_headline(const RanksReport& report);
/// "Fits on 2 of 3 GPUs. The smallest of them is NVIDIA A100-SXM4-40GB (a100-40): 31.2 GiB of 39.4 GiB at the
/// peak, 8.20 GiB left."
[[nodiscard]] std::string gpus_headline(const GpusReport& report);

/// Returns the largest part of the peak, by kind: "activations 61 %"; "" if no kind is known.
[[nodiscard]] std::string largest_part(const FitVerdict& verdict);
/// Returns what decides the outcome, for a table: "activations 61 %, forward model.py:12" if it fits, "2.00 GiB asked
/// for; most is held by forward model.py:12" if it does not, else why there is no answer.
[[nodiscard]] std::string deciding_memory(const FitVerdict& verdict);

} // namespace memviz::rehearse
