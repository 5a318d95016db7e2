#include "cli/frame/highlight.hpp"

#include "io/terminal.hpp"

#include <algorithm>
#include <array>
#include <re2/re2.h>

namespace memviz::cli {

namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kEnd = "\033[0m";

/// A part of a line and its colour. The groups of the expression are the text before it, the part, and the text after
/// it.
struct Tone {
  RE2 expression;
  std::string replacement;

  Tone(const char* part, std::string_view color)
      : expression(part), replacement(std::string("\\1").append(color).append("\\2").append(kEnd)) {}
};

/// Verdicts anywhere in a line, then sizes with a sign: orange and blue, as in pictures.
const std::array<Tone, 5>& tones() {
  static const std::array<Tone, 5> tones{{
      {"()(ran out of memory|Does not fit|NOT WELL-FORMED|NOT BALANCED|A leak:)", "\033[1;31m"},
      {"()(Probably a leak:|Perhaps a leak, too little evidence:|[wW]arning:)", "\033[33m"},
      {"()(well-formed and balanced|Nothing grows from step to step|Fits on)", "\033[32m"},
      {R"((^|[ (])(\+[0-9][0-9.,]* (?:[KMGTP]i)?B))", "\033[33m"},
      {R"((^|[ (])(-[0-9][0-9.,]* (?:[KMGTP]i)?B))", "\033[36m"},
  }};
  return tones;
}

/// A line without indent above an indented one.
bool is_heading(std::string_view line, std::string_view next) {
  return !line.empty() && line.front() != ' ' && line.back() != '.' && next.starts_with("  ");
}

std::string highlighted_line(std::string_view line, std::string_view next) {
  static const Tone label("()(^[A-Z][a-z ]{0,23}:)(?: )", kBold); // of a sentence: "Fragmentation: "
  std::string result(line);
  for (const Tone& tone : tones())
    RE2::GlobalReplace(&result, tone.expression, tone.replacement);
  const bool has_label = RE2::Replace(&result, label.expression, label.replacement + ' ');
  // One verdict in it is enough.
  if (!has_label && result.size() == line.size() && is_heading(line, next))
    return std::string(kBold).append(line).append(kEnd);
  return result;
}

} // namespace

std::string highlighted(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const bool has_end = !text.empty();
    if (has_end) text.remove_prefix(1);
    result += highlighted_line(line, text.substr(0, text.find('\n')));
    if (has_end) result += '\n';
  }
  return result;
}

std::string for_output(const std::string& text) {
  return output_takes_color() ? highlighted(text) : text;
}

std::string for_messages(const std::string& text) {
  return error_takes_color() ? highlighted(text) : text;
}

} // namespace memviz::cli
