#pragma once

// A comparison -> a summary for people, Markdown for a pull request, and JSON for programs, all with the names of its
// sides and what became of its limit.

#include "memviz/compare.hpp"

#include <cstddef>
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

/// What grew over the whole recording, device by device, and at the moment compared the totals of both sides and the
/// lines of code that changed most.
[[nodiscard]] std::string compare_text(const CompareReport& report);

/// Everything that the text says, and all lines that changed.
[[nodiscard]] std::string compare_json(const CompareReport& report);

/// A verdict, the three figures, and what grew and shrank. Texts of a snapshot are a stranger's: they stand in code
/// spans, where nothing is markup, and no bot that reads the plain text finds a command or a mention in them.
[[nodiscard]] std::string compare_markdown(const CompareReport& report);

/// `text` as a code span that can stand in a table of Markdown: on one line, of at most `columns` characters.
[[nodiscard]] std::string code_span(std::string_view text, std::size_t columns);

/// How a text of the snapshot, or the name of a file, stands in a sentence.
using Quote = std::string (*)(const std::string&);
[[nodiscard]] std::string as_it_is(const std::string& text);

/// "the peak grew by 5.07 GiB (77.6 % of 6.53 GiB), more than --fail-over 2% allows; the most by step
/// train.py:12 (+4.10 GiB at the peak)"; nothing where nothing grew too much.
[[nodiscard]] std::optional<std::string> exceeded_text(const CompareReport& report, Quote quote = as_it_is);

/// "the peak is unknown: before.pickle has no events"; "" where all is known.
[[nodiscard]] std::string unknown_text(const CompareReport& report, Quote quote = as_it_is);

/// Where a device is at another kind of moment before than after, so that what differs is no growth alone; "" where
/// none is.
[[nodiscard]] std::string uneven_text(const CompareReport& report);

/// That the sides use different devices, which are compared by number, a sentence without its full stop; "" where they
/// use the same ones.
[[nodiscard]] std::string other_devices_text(const CompareReport& report);

} // namespace memviz
