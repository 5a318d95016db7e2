#pragma once

// The figures of rehearsed runs -> sentences about them.

#include "memviz/fit.hpp"

#include <string>
#include <vector>

namespace memviz::rehearse {

/// "Fits on NVIDIA H100 80GB HBM3 (h100-80): 41.2 GiB of 79.2 GiB at the peak, 38.0 GiB left."
[[nodiscard]] std::string headline(const FitVerdict& verdict);
/// The same in a few words, for one run of many: "fits: 41.2 GiB of 79.2 GiB".
[[nodiscard]] std::string short_text(const FitVerdict& verdict);
/// Sentences about everything that was not, or cannot be, known.
[[nodiscard]] std::vector<std::string> notes(const FitVerdict& verdict);

/// "BATCH=4 is the largest that fits; BATCH=5 does not."
[[nodiscard]] std::string search_headline(const SearchReport& report);
/// "With NAME=VALUE: still fits; peak 41.2 GiB (+1.00 GiB), left 38.0 GiB (-1.00 GiB)."
[[nodiscard]] std::string variant_headline(const FitVerdict& usual, const Variant& variant);

/// "Fits on NVIDIA H100 80GB HBM3 (h100-80): rank 0 has the least room, 41.2 GiB of 79.2 GiB at the peak. 3 of 512
/// ranks were rehearsed; the others may differ."
[[nodiscard]] std::string ranks_headline(const RanksReport& report);

} // namespace memviz::rehearse
