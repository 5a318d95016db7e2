#include "text/printable.hpp"

#include "memviz/log_commands.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

namespace {

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Marks that turn the direction of the text around them: U+061C, U+200E and F, U+202A to E, U+2066 to 9.
std::size_t direction_mark_length(std::string_view text) {
  if (text.starts_with("\xD8\x9C")) return 2;
  if (!text.starts_with('\xE2') || text.size() < 3) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const auto third = static_cast<unsigned char>(text[2]);
  const bool is_mark = (second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE))) ||
                       (second == 0x81 && third >= 0xA6 && third <= 0xA9);
  return is_mark ? 3 : 0;
}

/// Where the character number `columns` begins, counted from the front.
std::size_t byte_of_column(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (columns == 0) return at;
    --columns;
  }
  return at;
}

/// The first and the last characters of `text`, at least so many of each, as one text.
std::string ends_of(std::string_view text, std::size_t characters) {
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t head = characters * kLongestCharacter;
  std::size_t tail = text.size() - head;
  for (std::size_t i = 1; i < kLongestCharacter && is_continuation(text[head]); ++i)
    ++head;
  for (std::size_t i = 1; i < kLongestCharacter && is_continuation(text[tail]); ++i)
    --tail;
  return std::string(text.substr(0, head)).append(text, tail);
}

} // namespace

std::size_t control_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool is_c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  if (is_c1) return 2;
  const bool is_line_separator = text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9");
  return is_line_separator ? 3 : direction_mark_length(text);
}

std::string printable(std::string_view text) {
  // Nearly every text is: one look, instead of one at each character.
  std::string result;
  if (std::all_of(text.begin(), text.end(), [](char byte) { return byte >= 0x20 && byte < 0x7F; })) {
    result = text;
  } else {
    result.reserve(text.size());
    while (!text.empty()) {
      const std::size_t control = control_length(text);
      result += control == 0 ? text.front() : ' ';
      text.remove_prefix(std::max<std::size_t>(control, 1));
    }
  }
  return without_log_commands(std::move(result));
}

std::size_t column_count(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::string elided(std::string_view text, std::size_t columns) {
  constexpr std::string_view kEllipsis = "...";
  // What is left out in any case need not be looked at: a text of megabytes may stand beside every event.
  constexpr std::size_t kFewBytes = 4096;
  if (text.size() > kFewBytes && text.size() / 16 > columns) return elided(ends_of(text, columns + 1), columns);
  std::string whole = printable(text);
  const std::size_t length = column_count(whole);
  if (length <= columns) return whole;
  if (columns <= kEllipsis.size()) return whole.substr(0, byte_of_column(whole, columns));
  const std::size_t kept = columns - kEllipsis.size();
  const std::size_t head = kept / 2;
  const std::size_t tail_begin = byte_of_column(whole, length - (kept - head));
  return whole.substr(0, byte_of_column(whole, head)).append(kEllipsis).append(whole, tail_begin);
}

} // namespace memviz
