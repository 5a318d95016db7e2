#pragma once

// A comparison with the names of its sides and what became of its limit: what its text, Markdown and JSON have in
// common.

#include "memviz/compare.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

struct CompareSide {
  std::string file;        ///< as much of its path as tells it from the other
  std::string moment = {}; ///< "at the peak, event 5 of 9"
};

struct CompareReport {
  CompareSide before;
  CompareSide after;
  const Comparison& comparison;
  std::optional<GateVerdict> verdict = std::nullopt;
  std::vector<std::string> warnings = {};
};

/// "1.5 GiB"; "unknown" of nothing.
[[nodiscard]] std::string known_bytes(const std::optional<std::uint64_t>& bytes);

/// "requested at the peak", ...: as the figure stands in a table.
[[nodiscard]] std::string_view gauge_label(Gauge gauge);

/// How a text of the snapshot, or the name of a file, stands in a sentence.
using Quote = std::string (*)(const std::string&);
[[nodiscard]] std::string as_it_is(const std::string& text);

/// "the peak grew by 5.07 GiB (77.6 % of 6.53 GiB), more than --fail-over 2% allows; the most by step
/// train.py:12 (+4.10 GiB at the peak)"; nothing where nothing grew too much.
[[nodiscard]] std::optional<std::string> exceeded_text(const CompareReport& report, Quote quote = as_it_is);

/// "peak, end, reserved within --fail-over 2%"; needs a verdict.
[[nodiscard]] std::string passed_text(const CompareReport& report);

/// "the peak is unknown: before.pickle has no events"; "" where all is known.
[[nodiscard]] std::string unknown_text(const CompareReport& report, Quote quote = as_it_is);

/// Where a device is at another kind of moment before than after, so that what differs is no growth alone; "" where
/// none is.
[[nodiscard]] std::string uneven_text(const CompareReport& report);

/// "step train.py:12", with its device where each is at a moment of its own.
[[nodiscard]] std::string change_label(const Comparison& comparison, const UserLineChange& line);

/// The same of lines that stand in one list: different ones that would look alike with the folders that tell them
/// apart.
[[nodiscard]] std::vector<std::string> change_labels(const Comparison& comparison,
                                                     const std::vector<const UserLineChange*>& lines);

} // namespace memviz
