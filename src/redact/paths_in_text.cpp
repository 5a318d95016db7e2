#include "redact/paths.hpp"

#include "redact/file_endings.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"

namespace memviz {
namespace {

constexpr std::string_view kSeparators = "/\\";

bool is_separator(char c) {
  return c == '/' || c == '\\';
}

/// Whether a character occurs in the names of a path without blanks.
bool is_path_character(char c) {
  return may_be_letter(c) || is_digit(c) || is_separator(c) || c == '.' || c == '_' || c == '-' || c == '+' ||
         c == '@' || c == '~';
}

std::size_t path_word_size(std::string_view text) {
  const std::string_view::const_iterator end = std::ranges::find_if_not(text, is_path_character);
  return static_cast<std::size_t>(end - text.begin());
}

std::ptrdiff_t separator_count(std::string_view text) {
  return std::ranges::count_if(text, is_separator);
}

/// "C:\", "C:/"
bool begins_with_drive(std::string_view text) {
  return text.size() > 2 && may_be_letter(text[0]) && text[1] == ':' && is_separator(text[2]);
}

/// "/home", "\\server", "~/x", "./x", "../x", "C:\x"
bool is_rooted(std::string_view text) {
  if (begins_with_drive(text)) return true;
  const std::size_t dots = text.find_first_not_of(text.starts_with('~') ? "~" : ".");
  const std::size_t at = dots > 2 ? 0 : dots; // also where nothing else follows
  return at + 1 < text.size() && is_separator(text[at]) && is_path_character(text[at + 1]);
}

/// Returns how far a rooted path can reach. Its names may contain blanks and commas, so it extends to a quote, a
/// bracket that closes around it, a line number, or the end.
std::size_t rooted_reach(std::string_view text) {
  static constexpr std::string_view kEnds = "\"'`<>|;\n\t";
  int depth = 0;
  for (std::size_t i = begins_with_drive(text) ? 2 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (kEnds.find(c) != std::string_view::npos) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return i;
    const bool is_line_number = c == ':' && i + 1 < text.size() && (is_digit(text[i + 1]) || text[i + 1] == ' ');
    if (is_line_number) return i;
  }
  return text.size();
}

/// Returns the size of the rooted path at the beginning of a text. After the last folder, the first word that ends like
/// a file is the end.
std::size_t rooted_size(std::string_view text) {
  const std::string_view reach = text.substr(0, rooted_reach(text));
  const std::size_t last = reach.find_last_of(kSeparators);
  const std::size_t end = last + 1 + path_word_size(reach.substr(last + 1));
  const bool is_file = !known_extension(reach.substr(0, end)).empty();
  return is_file ? end : reach.find_last_not_of(' ') + 1;
}

/// Whether a word is a path without a root: two separators, or one and the ending of a file, or only that of a source
/// file.
bool is_relative_path(std::string_view word) {
  const std::string_view ending = known_extension(word);
  const bool is_named = !ending.empty() && word != ending;
  if (std::ranges::none_of(word, may_be_letter)) return false;
  return separator_count(word) >= 2 || (is_named && (separator_count(word) == 1 || is_source_ending(ending)));
}

/// Returns the size of the path at the beginning of `text`; 0 if there is none.
std::size_t path_size(std::string_view text) {
  if (is_rooted(text)) {
    const std::size_t size = rooted_size(text);
    if (separator_count(text.substr(0, size)) >= 2 || is_relative_path(text.substr(0, size))) return size;
  }
  const std::size_t size = path_word_size(text);
  return is_relative_path(text.substr(0, size)) ? size : 0;
}

} // namespace

std::string without_paths(std::string_view text, const Hiding& hiding) {
  std::string result;
  while (!text.empty()) {
    if (const std::size_t size = path_size(text); size > 0) {
      result += hidden_path(text.substr(0, size), hiding);
      text.remove_prefix(size);
    }
    // A path begins where a word does.
    const std::size_t size = std::min(std::max<std::size_t>(path_word_size(text), 1), text.size());
    result += text.substr(0, size);
    text.remove_prefix(size);
  }
  return result;
}

} // namespace memviz
