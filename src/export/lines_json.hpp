#pragma once

// The lines of the user's own code that hold memory -> JSON.

#include "base/first_of.hpp"
#include "base/json_object.hpp"
#include "export/json_meanings.hpp"
#include "memviz/flame.hpp"
#include "memviz/frames.hpp"
#include "memviz/label.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

struct InnerLineInJson {
  const FrameTable& frames;
  const InnerLine& line;
};

/// The words of the members of a line: in a timeline they count allocations.
struct LineWords {
  std::string_view bytes = "Requested bytes that it holds";
  std::string_view count = "blocks";
  std::string_view count_meaning = "Blocks that it holds";
};

[[nodiscard]] constexpr auto inner_line(const JsonObjectFacts& facts, const LineWords& words = {}) {
  return json_object<InnerLineInJson>(
      facts,
      member("line", "The line, `function file.py:12`",
             [](const InnerLineInJson& inner) { return node_label(inner.frames, inner.line.frame); }),
      member("bytes", words.bytes, [](const InnerLineInJson& inner) { return inner.line.amount.bytes; }),
      member(words.count, words.count_meaning, [](const InnerLineInJson& inner) { return inner.line.amount.blocks; }));
}

inline constexpr auto kInnerLine = inner_line({.meaning = "A line within another", .name = "inner_line"});

inline constexpr std::string_view kCallersMeaning = "The lines that called it for most of its bytes, the nearest "
                                                    "first, as `function file.py:12`; absent where there are "
                                                    "none or several";

/// Returns the lines that JSON has of a list of them: at most 100.
[[nodiscard]] inline std::span<const UserLine> first_lines(const std::vector<UserLine>& lines) {
  return first_of(lines, 100);
}

struct LineInJson {
  const FrameTable& frames;
  const UserLine& line;
};

[[nodiscard]] constexpr auto line_figures(const LineWords& words = {}) {
  return json_object<LineInJson>(
      {},
      member("line", kOwnLineMeaning, [](const LineInJson& line) { return node_label(line.frames, line.line.key); }),
      member("bytes", words.bytes, [](const LineInJson& line) { return line.line.amount.bytes; }),
      member(words.count, words.count_meaning, [](const LineInJson& line) { return line.line.amount.blocks; }));
}

/// `inner`: the form of a line within the line.
[[nodiscard]] constexpr auto line_within(const auto& inner) {
  return json_object<LineInJson>(
      {}, member(
              "within",
              "Of a line that holds more than half of all: the largest of the innermost lines that it called, at "
              "most three",
              [](const LineInJson& line) -> const std::vector<InnerLine>& { return line.line.within; },
              made_by(
                  [](const LineInJson& line, const InnerLine& within) {
                    return InnerLineInJson{line.frames, within};
                  },
                  inner))
              .if_any());
}

inline constexpr auto kLineFigures = line_figures();
inline constexpr auto kLineWithin = line_within(kInnerLine);

inline constexpr auto kLine =
    json_object<LineInJson>({.meaning = "What one line holds", .name = "line"},
                            members_of(kLineFigures, std::identity()), members_of(kLineWithin, std::identity()));

struct CalledLineInJson {
  LineInJson line;
  std::vector<std::string> callers;
};

inline constexpr auto kCalledLine = json_object<CalledLineInJson>(
    {.meaning = "What one line holds", .name = "called_line"}, members_of(kLineFigures, &CalledLineInJson::line),
    member("callers", kCallersMeaning, &CalledLineInJson::callers).if_any(),
    members_of(kLineWithin, &CalledLineInJson::line));

} // namespace memviz
