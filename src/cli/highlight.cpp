#include "cli/highlight.hpp"

#include "io/terminal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace memviz::cli {

namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kBad = "\033[1;31m";
constexpr std::string_view kGood = "\033[32m";
constexpr std::string_view kDoubtful = "\033[33m";
constexpr std::string_view kGrew = "\033[33m"; // as in pictures orange and blue, which most people tell apart
constexpr std::string_view kShrank = "\033[36m";
constexpr std::string_view kEnd = "\033[0m";

/// Words that are a verdict, wherever they stand in a line.
struct Phrase {
  std::string_view words;
  std::string_view color;
};
constexpr std::array kPhrases{
    Phrase{"ran out of memory", kBad},
    Phrase{"Does not fit", kBad},
    Phrase{"NOT WELL-FORMED", kBad},
    Phrase{"NOT BALANCED", kBad},
    Phrase{"A leak:", kBad},
    Phrase{"Probably a leak:", kDoubtful},
    Phrase{"Perhaps a leak, too little to tell:", kDoubtful},
    Phrase{"warning:", kDoubtful},
    Phrase{"Warning:", kDoubtful},
    Phrase{"well-formed and balanced", kGood},
    Phrase{"Nothing grows from step to step", kGood},
    Phrase{"Fits on", kGood},
};

bool is_capital(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// How long the signed size is that `text` begins with: "+9.63 MiB"; 0 where it begins with none.
std::size_t signed_size(std::string_view text) {
  if (text.size() < 4 || (text[0] != '+' && text[0] != '-') || !is_digit(text[1])) return 0;
  std::size_t end = 1;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == ','))
    ++end;
  for (const std::string_view unit : {" B", " KiB", " MiB", " GiB", " TiB", " PiB"})
    if (text.substr(end).starts_with(unit)) return end + unit.size();
  return 0;
}

/// How long the name is that a sentence begins with: "Fragmentation: "; 0 where it begins with none.
std::size_t label(std::string_view line) {
  constexpr std::size_t kLongest = 24;
  if (line.empty() || !is_capital(line.front())) return 0;
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon > kLongest) return 0;
  const std::string_view name = line.substr(1, colon - 1);
  const bool is_words = std::all_of(name.begin(), name.end(),
                                    [](char letter) { return letter == ' ' || (letter >= 'a' && letter <= 'z'); });
  return is_words ? colon + 1 : 0;
}

/// A line without an indent above one that has it.
bool is_heading(std::string_view line, std::string_view next) {
  return !line.empty() && line.front() != ' ' && line.back() != '.' && next.starts_with("  ");
}

std::string with_phrases(std::string_view line) {
  std::string result;
  for (std::size_t i = 0; i < line.size();) {
    const std::string_view rest = line.substr(i);
    std::size_t length = 0;
    std::string_view color;
    for (const Phrase& phrase : kPhrases)
      if (rest.starts_with(phrase.words)) {
        length = phrase.words.size();
        color = phrase.color;
      }
    if (length == 0 && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '(')) {
      length = signed_size(rest);
      color = rest[0] == '+' ? kGrew : kShrank;
    }
    if (length == 0) {
      result += line[i++];
      continue;
    }
    result.append(color).append(rest.substr(0, length)).append(kEnd);
    i += length;
  }
  return result;
}

std::string highlighted_line(std::string_view line, std::string_view next) {
  if (const std::size_t named = label(line); named > 0 && with_phrases(line.substr(0, named)) == line.substr(0, named))
    return std::string(kBold).append(line.substr(0, named)).append(kEnd) + with_phrases(line.substr(named));
  std::string result = with_phrases(line);
  // A verdict in it is enough.
  if (result.size() == line.size() && is_heading(line, next)) return std::string(kBold).append(line).append(kEnd);
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
