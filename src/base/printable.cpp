#include "base/printable.hpp"

#include "base/characters.hpp"
#include "base/utf8.hpp"

#include "base/log_commands.hpp"

namespace memviz {
namespace {

constexpr std::size_t kLongestCharacter = 4;
/// The maximum number of characters in a column: more marks on one letter only serve to fill the screen.
constexpr std::size_t kMostInColumn = 4;

/// Finds where `text` can be cut: takes characters as long as they fit.
class Room {
public:
  explicit Room(std::size_t columns) : columns_(columns), characters_(kMostInColumn * columns) {}

  [[nodiscard]] bool takes(std::string_view character) {
    const std::size_t width = terminal_columns(first_code_point(character).value);
    if (width > columns_ || characters_ == 0) return false;
    columns_ -= width;
    --characters_;
    return true;
  }

private:
  std::size_t columns_;
  std::size_t characters_;
};

/// Returns the longest prefix of `text`, valid UTF-8, that fits in `columns`.
std::string_view head_of(std::string_view text, std::size_t columns) {
  Room room(columns);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = first_code_point(text.substr(end)).bytes;
    if (!room.takes(text.substr(end, length))) break;
    end += length;
  }
  return text.substr(0, end);
}

/// Returns the longest suffix of `text` that fits, and does not begin with a mark that belongs to the character before
/// it.
std::string_view tail_of(std::string_view text, std::size_t columns) {
  Room room(columns);
  std::size_t begin = text.size();
  std::size_t whole = begin;
  while (begin > 0) {
    std::size_t at = begin - 1;
    while (at > 0 && is_continuation(text[at]))
      --at;
    const std::string_view character = text.substr(at, begin - at);
    if (!room.takes(character)) break;
    begin = at;
    if (terminal_columns(first_code_point(character).value) > 0) whole = begin;
  }
  return text.substr(whole);
}

/// Returns the first and the last bytes of `text`, enough for this many columns of each, as one text.
std::string ends_of(std::string_view text, std::size_t columns) {
  std::size_t head = columns * kMostInColumn * kLongestCharacter;
  std::size_t tail = text.size() - head;
  for (std::size_t i = 1; i < kLongestCharacter && is_continuation(text[head]); ++i)
    ++head;
  for (std::size_t i = 1; i < kLongestCharacter && is_continuation(text[tail]); ++i)
    --tail;
  return std::string(text.substr(0, head)).append(text, tail);
}

} // namespace

std::string safe_line(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.is_valid)
      result += "\xEF\xBF\xBD";
    else if (is_unsafe(point.value))
      result += ' ';
    else
      result += text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::string printable(std::string_view text) {
  return without_log_commands(safe_line(text));
}

std::size_t column_count(std::string_view text) {
  if (is_plain_ascii(text)) return text.size();
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    columns += terminal_columns(point.value);
    text.remove_prefix(point.bytes);
  }
  return columns;
}

std::string elided(std::string_view text, std::size_t columns) {
  constexpr std::string_view kEllipsis = "...";
  // The bytes after which nothing can be shown anyway: a text of megabytes may belong to every event.
  constexpr std::size_t kFewBytes = 4096;
  constexpr std::size_t kMostInBoth = 2 * kMostInColumn * kLongestCharacter;
  if (text.size() > kFewBytes && text.size() / (2 * kMostInBoth) > columns)
    return elided(ends_of(text, columns + 1), columns);
  std::string whole = printable(text);
  if (whole.size() <= columns || head_of(whole, columns).size() == whole.size()) return whole;
  if (columns <= kEllipsis.size()) return std::string(head_of(whole, columns));
  const std::size_t kept = columns - kEllipsis.size();
  const std::string_view head = head_of(whole, kept / 2);
  const std::string_view tail = tail_of(std::string_view(whole).substr(head.size()), kept - kept / 2);
  return std::string(head).append(kEllipsis).append(tail);
}

} // namespace memviz
