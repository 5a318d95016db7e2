#include "base/wrap.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"

#include <algorithm>

namespace memviz {

std::string wrapped_text(std::string_view text, std::string_view first, std::size_t columns) {
  const std::string safe = printable(text);
  std::string_view rest = safe;
  const std::string indent(column_count(first), ' ');
  std::string result(first);
  std::size_t column = indent.size();
  bool is_line_empty = true;
  while (!rest.empty()) {
    std::size_t end = rest.find(' ');
    if (end != std::string_view::npos && is_unit(rest.substr(end + 1, rest.find(' ', end + 1) - end - 1)))
      end = rest.find(' ', end + 1);
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word.empty()) continue;
    const std::size_t width = column_count(word);
    if (!is_line_empty && column + 1 + width > columns) {
      result += '\n' + indent;
      column = indent.size();
      is_line_empty = true;
    }
    if (!is_line_empty) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width;
    is_line_empty = false;
  }
  return result + '\n';
}

std::string wrapped_list(std::string_view title, std::span<const std::string> sentences, std::string_view first,
                         std::size_t columns) {
  if (sentences.empty()) return "";
  std::string text = "\n";
  if (!title.empty()) text.append(title) += '\n';
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) text += wrapped_text(sentence, first, columns);
  return text;
}

} // namespace memviz
