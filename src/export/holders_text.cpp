#include "export/holders_text.hpp"

#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "story/explain_words.hpp"

#include <algorithm>

namespace memviz {
namespace {

/// "forward common.py:23 ‹ validate eval.py:11", with as many callers as fit; indented for a line within another.
std::string name_of(const FrameTable& frames, const HolderRow& row, const HolderTextOptions& options) {
  constexpr std::size_t kColumnsBefore = 36;
  if (!row.name.empty()) return row.name;
  if (row.is_within) return inner_line_text(frames, std::get<FrameId>(row.key), options.name_columns);
  std::string text = line_text(frames, row.key, options.name_columns);
  if (options.callers == nullptr) return text;
  const auto found = options.callers->find(row.key);
  if (found == options.callers->end()) return text;
  return with_callers(std::move(text), callers_text(frames, found->second),
                      options.columns - std::min(options.columns, kColumnsBefore));
}

} // namespace

std::string holders_text(const FrameTable& frames, const HolderTable& table, const HolderTextOptions& options) {
  TextTable text{Align::right, Align::right, Align::right, Align::left};
  if (!options.head.empty()) text.add_row({"requested", "share", "blocks", std::string(options.head)});
  for (const HolderRow& row : table.rows)
    text.add_row({format_bytes(row.amount.bytes), row.share,
                  options.head.empty() ? row.note : format_count(row.amount.blocks), name_of(frames, row, options)});
  return text.text("  ", table.left_out.holders);
}

} // namespace memviz
