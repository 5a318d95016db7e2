#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/kind_paints.hpp"
#include "page/legend.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/ranked_list.hpp"

#include "memviz/format.hpp"
#include "memviz/svg.hpp"
#include "story/kind_totals.hpp"
#include "story/picture_words.hpp"
#include "story/ranks_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace memviz {
namespace render {
namespace {

constexpr std::size_t kMostGroups = 24;
constexpr std::size_t kMostTitles = 1024; ///< if there are more ranks, cells have no tooltips

/// The side of a cell, with and without the gap after it.
struct CellSize {
  double side;
  double pitch;
};

CellSize cell_size(std::size_t ranks) {
  if (ranks <= 256) return {12, 14};
  if (ranks <= 2048) return {7, 8};
  return {4, 5};
}

bool is_among(const std::vector<RankDifference>& differences, std::size_t rank) {
  return std::ranges::find(differences, rank, &RankDifference::rank) != differences.end();
}

std::uint64_t held_bytes(const JobReport& report, std::size_t rank) {
  return report.parts[report.ranks[rank].part].held_bytes;
}

/// Returns by how much a rank differs from the median of its group, and whether it is an outlier.
const Paint& cell_paint(const JobReport& report, std::size_t rank, std::uint64_t median_bytes) {
  constexpr double kLittle = 0.005;
  constexpr double kMuch = 0.05;
  if (is_among(report.failed, rank)) return paint::kUnaccounted;
  const double median = std::max(1.0, static_cast<double>(median_bytes));
  const double share = (static_cast<double>(held_bytes(report, rank)) - median) / median;
  if (is_among(report.outliers, rank)) return share < 0 ? paint::kRemoved : paint::kAdded;
  if (std::abs(share) <= kLittle) return paint::kSame;
  if (share > 0) return share > kMuch ? paint::kGrown : paint::kGrownLittle;
  return share < -kMuch ? paint::kShrunk : paint::kShrunkLittle;
}

std::string cell_title(const JobReport& report, std::size_t rank) {
  const RankPart& part = report.parts[report.ranks[rank].part];
  const std::string remark = rank_remark(report, rank);
  return fmt::format("{}: {}{}\npeak {}, end {}, reserved {}", rank_name(report, rank), format_bytes(part.held_bytes),
                     remark.empty() ? "" : ", " + remark, format_bytes(part.peak_bytes), format_bytes(part.end_bytes),
                     format_bytes(part.reserved_bytes));
}

/// Returns the members of a group, then the ranks that ran out of memory and are compared with it.
std::vector<std::size_t> cells_of(const JobReport& report, std::size_t group) {
  std::vector<std::size_t> cells = report.groups[group].ranks;
  for (const RankDifference& failed : report.failed)
    if (report.ranks[failed.rank].group == group) cells.push_back(failed.rank);
  std::ranges::sort(cells);
  return cells;
}

/// Draws a cell for each rank; returns the height below them.
double draw_cells(Page& page, double y, const JobReport& report, std::size_t group) {
  const CellSize size = cell_size(report.ranks.size());
  const auto in_row = static_cast<std::size_t>(kContentWidth / size.pitch);
  const std::vector<std::size_t> cells = cells_of(report, group);
  XmlElement section = page.add_section(y, "cells");
  std::map<const Paint*, std::string> paths;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Paint& paint = cell_paint(report, cells[i], report.groups[group].median_bytes);
    const double x = kMargin + static_cast<double>(i % in_row) * size.pitch;
    const std::size_t row = i / in_row;
    const double top = y + static_cast<double>(row) * size.pitch;
    const bool is_named = is_among(report.failed, cells[i]) || is_among(report.outliers, cells[i]);
    if (!is_named && report.ranks.size() > kMostTitles) {
      paths[&paint] += fmt::format("M{} {}h{}v{}h-{}z", px(x), px(top), px(size.side), px(size.side), px(size.side));
      continue;
    }
    XmlElement cell = add_rect(add_group(section, paint.name), x, top, size.side, size.side);
    cell.child("title").text(cell_title(report, cells[i]));
  }
  for (const auto& [paint, path] : paths)
    add_group(section, paint->name).child("path").set("class", "dust").set("d", path);
  const std::size_t rows = (cells.size() + in_row - 1) / in_row;
  return y + static_cast<double>(rows) * size.pitch;
}

/// "698 MiB", "698 MiB each", "698 MiB median"
std::string bytes_of_group(const RankGroup& group) {
  std::string bytes = format_bytes(group.median_bytes);
  if (group.ranks.size() == 1) return bytes;
  return bytes + (group.least_bytes == group.most_bytes ? " each" : " median");
}

double draw_group(Page& page, double y, const JobReport& report, std::size_t index) {
  const RankGroup& group = report.groups[index];
  const std::string span =
      group.least_bytes == group.most_bytes
          ? ""
          : fmt::format(", {} to {}", format_bytes(group.least_bytes), format_bytes(group.most_bytes));
  y = draw_heading(
      page, y,
      fmt::format("Group {}: {}, {}{}", index, format_counted(group.ranks.size(), "rank"), bytes_of_group(group), span),
      rank_list(report, group.ranks));
  return draw_cells(page, y + 2, report, index) + 12;
}

Bar kinds_bar(const JobReport& report, std::size_t index) {
  const RankGroup& group = report.groups[index];
  std::array<std::uint64_t, kMemoryKinds> bytes{};
  for (const LineMemory& held : group.medians)
    bytes.at(static_cast<std::size_t>(held.kind)) += held.bytes;
  Bar bar{.name = fmt::format("group {}", index),
          .parts = {},
          .note = fmt::format("{}, {}", format_counted(group.ranks.size(), "rank"), bytes_of_group(group))};
  for (const MemoryKind kind : kKindLayers)
    if (const std::uint64_t of_kind = bytes.at(static_cast<std::size_t>(kind)); of_kind > 0)
      bar.parts.push_back({&kind_paint(kind), std::string(kind_words(kind)), of_kind});
  return bar;
}

/// Draws the lines by which ranks differ, those that ran out of memory first.
RankedList differences_list(const JobReport& report) {
  RankedList list;
  list.heading = "What they hold that the median of their group does not, by line";
  std::size_t count = 0;
  for (const auto* differences : {&report.failed, &report.outliers}) {
    for (const RankDifference& difference : *differences) {
      for (const LineDifference& line : difference.lines) {
        if (++count > kRankedRows) continue;
        RankedRow row{};
        row.value = delta_text(line.delta_bytes);
        row.bar_bytes = static_cast<std::uint64_t>(std::abs(line.delta_bytes));
        row.label = {.name = line_name(line.line)};
        row.note = rank_name(report, difference.rank);
        row.kinds = std::string(kind_words(line.kind));
        row.title = fmt::format("{}\n{} of {}", line_name(line.line), row.value, row.note);
        row.paint = line.delta_bytes < 0 ? &paint::kRemoved : &paint::kAdded;
        list.rows.push_back(std::move(row));
      }
    }
  }
  if (count > kRankedRows) list.rest = "and " + format_counted(count - kRankedRows, "more line");
  if (count == 0) list.rest = kNoRankDiffers;
  return list;
}

std::vector<LegendEntry> cell_legend(const JobReport& report) {
  std::vector<LegendEntry> entries{{&paint::kSame, "within 0.5 % of the median of the group"},
                                   {&paint::kGrownLittle, "more"},
                                   {&paint::kGrown, "over 5 % more"},
                                   {&paint::kShrunkLittle, "less"},
                                   {&paint::kShrunk, "over 5 % less"}};
  if (!report.outliers.empty()) {
    entries.push_back({&paint::kAdded, "stands out: more"});
    entries.push_back({&paint::kRemoved, "stands out: less"});
  }
  if (!report.failed.empty()) entries.push_back({&paint::kUnaccounted, "out of memory"});
  return entries;
}

std::vector<std::string> facts_of(const JobReport& report) {
  std::vector<std::string> facts{format_counted(report.groups.size(), "group")};
  if (!report.unread.empty()) facts.push_back(format_counted(report.unread.size(), "file") + " not read");
  if (!report.missing.empty()) facts.push_back("missing: " + range_list(report.missing));
  return facts;
}

double draw_groups(Page& page, double y, const JobReport& report) {
  const std::size_t shown = std::min(kMostGroups, report.groups.size());
  y = draw_legend(page, y, cell_legend(report), "a cell = a rank") + 4;
  for (std::size_t i = 0; i < shown; ++i)
    y = draw_group(page, y, report, i);
  if (report.groups.size() > shown)
    y = draw_notes(page, y, {"and " + format_counted(report.groups.size() - shown, "more group")});
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < shown; ++i)
    bars.push_back(kinds_bar(report, i));
  y = draw_heading(page, y + 6, "What a rank of each group holds (median), by kind");
  y = draw_bars(page, y, bars) + 8;
  std::vector<LegendEntry> kinds = kind_legend();
  std::erase_if(kinds, [&](const LegendEntry& kind) {
    return std::ranges::none_of(bars, [&](const Bar& bar) {
      return std::ranges::find(bar.parts, kind.paint, &BarPart::paint) != bar.parts.end();
    });
  });
  return draw_legend(page, y, kinds, "");
}

struct Heading {
  std::string title;
  std::string answer;
};

/// Splits the headline after its first sentence, or where that would be cut, before the lines that it ends with.
Heading heading_of(const std::string& headline) {
  constexpr std::size_t kMostLines = 2;
  const auto fits = [](const std::string& title) {
    return wrap(title, kContentWidth, kHeadlineSize, Font::bold).size() <= kMostLines;
  };
  const std::size_t sentence = std::min(headline.find(". "), headline.size() - 1);
  Heading whole{headline.substr(0, sentence), headline.substr(std::min(sentence + 2, headline.size()))};
  for (std::size_t colon = whole.title.rfind(": "); !fits(whole.title) && colon != std::string::npos && colon > 0;
       colon = whole.title.rfind(": ", colon - 1)) {
    const std::string title = whole.title.substr(0, colon);
    if (fits(title) || title.find(": ") == std::string::npos) return {title, headline.substr(colon + 2)};
  }
  return whole;
}

std::string draw(const JobReport& report, const SvgOptions& options) {
  const std::string headline = ranks_headline(report);
  Page page(options, headline);
  page.svg().child("style").cdata(paints_css(kind_paints()));
  const auto [title, answer] = heading_of(headline);
  double y = draw_headline(page, title);
  if (!answer.empty()) y = draw_answer(page, y, answer);
  y = draw_facts(page, y, format_counted(report.ranks.size(), "rank"), facts_of(report)) + 10;
  draw_narrow_head(page, y, {.headline = title, .short_headline = ranks_short_headline(report), .answer = answer});
  if (!report.groups.empty()) y = draw_groups(page, y, report);
  page.begin_below_graph();
  add_rule(page.below_graph(), y);
  y = draw_ranked_list(page, y + 14, differences_list(report));
  add_rule(page.below_graph(), y + 4);
  return page.finish(draw_signature(page, draw_notes(page, y + 14, ranks_notes(report))));
}

} // namespace
} // namespace render

std::string ranks_svg(const JobReport& report, const SvgOptions& options) {
  return render::draw(report, options);
}

} // namespace memviz
