#pragma once

// The largest users, or the largest changes, as a list with one small bar per row.

#include "page/page.hpp"
#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include "story/holders.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memviz::render {

struct RankedRow {
  std::string value;       ///< "19.5 MiB", "+17.5 MiB"
  std::uint64_t bar_bytes; ///< length of the bar
  std::string share;       ///< "12.5 %" or ""
  Label label;             ///< name and place; the note replaces `via`, and the source precedes it
  std::string note;        ///< right end: "23 blocks"
  std::string title;       ///< tooltip: full path
  const Paint* paint;      ///< of the bar
  std::string kinds = {};  ///< before the note: "activation", "activation 60 %, temporary 30 %"
  std::string via = {};    ///< after the label, where there is room: "‹ forward model.py:41 ‹ main train.py:10"
  bool is_within = false;  ///< a part of the row above, indented below it
  std::string find = {};   ///< the text that the script searches for when the row is clicked; "": its label
};

struct RankedList {
  std::string heading;
  std::vector<RankedRow> rows;
  std::string rest; ///< what was omitted, or why the list is empty
  double x = kMargin;
  double width = kContentWidth;
};

inline constexpr std::size_t kRankedRows = 10;

/// The part of rows in a list that depends on the picture.
struct HolderLook {
  std::vector<Label> labels;                            ///< by row
  std::function<std::string(std::size_t row)> title_of; ///< of the tooltip, which ends with the kinds
  std::function<const Paint&(const HolderRow&)> paint_of;
};

[[nodiscard]] RankedList holders_list(const HolderTable& table, const HolderLook& look);

/// Returns name and place in at most `columns`; if both are too long, cuts the name, because readers need the place.
[[nodiscard]] std::string row_label(const Label& label, std::size_t columns);
/// Returns the name as it is shown, which the script fits into other widths.
[[nodiscard]] std::string shown_name(const RankedRow& row);
/// Returns the text that the script searches for when a row is clicked.
[[nodiscard]] std::string words_to_find(const Label& label);
[[nodiscard]] std::string words_to_find(const RankedRow& row);

[[nodiscard]] double draw_ranked_list(Page& page, double y, const RankedList& list);

} // namespace memviz::render
