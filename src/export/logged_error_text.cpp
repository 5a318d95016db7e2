#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/logged_error.hpp"
#include "memviz/logged_error_report.hpp"
#include "story/logged_error_words.hpp"

#include <string_view>

namespace memviz {

namespace {

std::string parts_table(const std::vector<LoggedPart>& parts, std::uint64_t total_bytes) {
  TextTable table{Align::left, Align::right, Align::right};
  for (const LoggedPart& part : parts)
    table.add_row({part.name, format_bytes(part.bytes), format_percent(part.bytes, total_bytes)});
  return table.text("  ");
}

} // namespace

std::string logged_error_text(const std::string& file, const LoggedErrors& errors, std::size_t columns) {
  const LoggedErrorText words = in_words(errors);
  std::string text = printable(file) + '\n';
  text += '\n' + wrapped_text(words.headline, "", columns);
  text += '\n' + wrapped_text(words.cause, "", columns);
  text += wrapped_list("What would help", words.helps, "  - ", columns);
  if (!words.parts.empty())
    text += "\nWhere the memory was\n" + parts_table(words.parts, leading_error(errors).total_bytes.value_or(0));
  return text + wrapped_list("What to know", words.notes, "  - ", columns);
}

} // namespace memviz
