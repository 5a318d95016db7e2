#include "page/bars.hpp"

#include "page/text_fit.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace memviz::render {
namespace {

constexpr double kFontSize = 12;
constexpr double kIndent = 10;
constexpr double kSpace = 14;
constexpr double kWidestName = 220;
constexpr double kBarHeight = 12;
constexpr double kDetailHeight = 7;
constexpr double kRowHeight = 20;
constexpr double kDetailRowHeight = 16;
constexpr std::size_t kMostBars = 64; ///< a file may name 65,536 devices

std::uint64_t sum_of(const Bar& bar) {
  std::uint64_t bytes = 0;
  for (const BarPart& part : bar.parts)
    bytes += part.bytes;
  return bytes;
}

double height_of(const Bar& bar) {
  return bar.is_detail ? kDetailHeight : kBarHeight;
}

void draw_parts(XmlElement parent, const Bar& bar, double x, double y, double pixels_per_byte) {
  std::uint64_t offset = 0;
  for (const BarPart& part : bar.parts) {
    if (part.bytes == 0) continue;
    XmlElement group = add_group(parent, part.paint->name);
    const double left = static_cast<double>(offset) * pixels_per_byte;
    add_rect(group, x + left, y, static_cast<double>(part.bytes) * pixels_per_byte, height_of(bar))
        .set("class", "swatch");
    group.child("title").text(fmt::format("{}: {} ({} bytes, {})", part.name, format_bytes(part.bytes),
                                          format_count(part.bytes), format_percent(part.bytes, sum_of(bar))));
    offset += part.bytes;
  }
}

} // namespace

std::vector<BarPart> bar_parts(const MemoryTotals& totals) {
  std::vector<BarPart> parts;
  // The totals do not show how much of the rounding belongs to blocks that wait to be freed.
  if (totals.pending_free_bytes == 0) {
    parts.push_back({&paint::kRequested, "requested", totals.inside_bytes()});
    parts.push_back({&paint::kRounding, "rounding", totals.rounding_bytes()});
  } else {
    parts.push_back({&paint::kRequested, "allocated, with rounding", totals.allocated_bytes});
    parts.push_back({&paint::kPending, "awaiting free", totals.pending_free_bytes});
  }
  parts.push_back({&paint::kInactive, "free inside the segments", totals.inactive_bytes});
  parts.push_back({&paint::kUnaccounted, "unaccounted", totals.unaccounted_bytes});
  return parts;
}

double draw_bars(Page& page, double y, const std::vector<Bar>& bars) {
  const std::span<const Bar> shown = std::span(bars).first(std::min(bars.size(), kMostBars));
  std::uint64_t longest = 0;
  double name_width = 0;
  double note_width = 0;
  for (const Bar& bar : shown) {
    longest = std::max(longest, sum_of(bar));
    const double indent = bar.is_detail ? kIndent : 0;
    if (!bar.name.empty()) name_width = std::max(name_width, indent + sans_width(bar.name, kFontSize) + kSpace);
    if (!bar.note.empty()) note_width = std::max(note_width, sans_width(bar.note, kFontSize) + kSpace);
  }
  if (longest == 0) return y;
  name_width = std::min(name_width, kWidestName);
  note_width = std::min(note_width, kContentWidth / 2);
  const double span = kContentWidth - name_width - note_width;
  XmlElement section = page.add_section(y, "bars").set("data-left", kMargin + name_width).set("data-span", span);
  for (const Bar& bar : shown) {
    XmlElement group = section.child("g");
    const double baseline = y + height_of(bar) / 2 + 4;
    const double indent = bar.is_detail ? kIndent : 0;
    if (!bar.name.empty())
      add_text(group, kMargin + indent, baseline, bar.is_detail ? "small muted" : "small",
               fit_sans(bar.name, name_width - indent, kFontSize))
          .set("data-part", "name");
    draw_parts(group, bar, kMargin + name_width, y, span / static_cast<double>(longest));
    if (!bar.note.empty())
      add_text(group, kMargin + kContentWidth, baseline, "small muted end", fit_sans(bar.note, note_width, kFontSize))
          .set("data-part", "note");
    y += bar.is_detail ? kDetailRowHeight : kRowHeight;
  }
  if (shown.size() == bars.size()) return y;
  add_text(page.svg(), kMargin, y + 10, "small muted",
           fmt::format("and {} more", format_count(bars.size() - shown.size())));
  return y + kRowHeight;
}

} // namespace memviz::render
