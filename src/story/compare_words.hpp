#pragma once

// The words that the text, the Markdown and the JSON of a comparison share.

#include "memviz/compare_report.hpp"
#include "memviz/compare_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// "1.5 GiB"; "unknown" of nothing.
[[nodiscard]] std::string known_bytes(const std::optional<std::uint64_t>& bytes);

/// "requested at the peak", ...: the name of the figure in a table.
[[nodiscard]] std::string_view gauge_label(Gauge gauge);

/// "peak, end, reserved within --fail-over 2%"; requires a verdict.
[[nodiscard]] std::string passed_text(const CompareReport& report);

/// "step train.py:12", with its device if each is at its own moment.
[[nodiscard]] std::string change_label(const Comparison& comparison, const UserLineChange& line);

} // namespace memviz
