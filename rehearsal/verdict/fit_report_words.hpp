#pragma once

// Runs of a program over axes -> sentences about what they show together.

#include "verdict/fit_runs.hpp"

#include <string>
#include <vector>

namespace memviz::rehearse {

/// "h100-80, LEN=1024, BATCH=4"; "" without axes
[[nodiscard]] std::string point_name(const std::vector<Axis>& axes, const std::vector<std::string>& point);

/// Returns the answer of a report in sentences, about the unchanged program. Of a run: headline(). Of ranks: "Rank 0 of
/// 512 decides. Fits on NVIDIA H100 80GB HBM3 (h100-80): ... 3 of 512 ranks were rehearsed; the others may differ." Of
/// a search: "BATCH=4 is the largest that fits; BATCH=5 does not." Of several: "On h100-80 the largest BATCH is 24, on
/// a100-40 it is 12. None fits on t4."; "Fits on 2 of 3 GPUs. The smallest of them is NVIDIA A100-SXM4-40GB (a100-40):
/// ..."
[[nodiscard]] std::string report_headline(const FitReport& report);
/// Returns the answer of a row in a sentence; with a change, that in comparison with `usual`, the row of the unchanged
/// program: "With NAME=VALUE: still fits; peak 41.2 GiB (+1.00 GiB), left 38.0 GiB (-1.00 GiB)."
[[nodiscard]] std::string row_text(const FitReport& report, const FitRow& usual, const FitRow& row);
/// Returns what the search of a row found: "24", "none" or "unknown".
[[nodiscard]] std::string largest_word(const FitRow& row);

} // namespace memviz::rehearse
