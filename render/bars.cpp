#include "bars.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr double kNameWidth = 64;
constexpr double kNoteWidth = 310;
constexpr double kBarHeight = 10;
constexpr double kRowHeight = 18;

std::uint64_t sum_of(const Bar& bar) {
  std::uint64_t bytes = 0;
  for (const BarPart& part : bar.parts)
    bytes += part.bytes;
  return bytes;
}

void draw_parts(XmlElement parent, const Bar& bar, double x, double y, double pixels_per_byte) {
  std::uint64_t offset = 0;
  for (const BarPart& part : bar.parts) {
    if (part.bytes == 0) continue;
    XmlElement group = add_group(parent, part.paint->name);
    const double left = static_cast<double>(offset) * pixels_per_byte;
    add_rect(group, x + left, y, static_cast<double>(part.bytes) * pixels_per_byte, kBarHeight);
    group.child("title").text(fmt::format("{}: {} ({} bytes, {})", part.name, format_bytes(part.bytes),
                                          format_count(part.bytes), format_percent(part.bytes, sum_of(bar))));
    offset += part.bytes;
  }
}

} // namespace

std::vector<BarPart> bar_parts(const DeviceStats& stats) {
  std::vector<BarPart> parts;
  // The totals do not say which of the rounding belongs to blocks that wait to be freed.
  if (stats.pending_free_bytes == 0) {
    parts.push_back({&paint::kRequested, "requested", stats.requested_bytes});
    parts.push_back({&paint::kRounding, "rounding", stats.rounding_bytes()});
  } else {
    parts.push_back({&paint::kRequested, "allocated, with rounding", stats.allocated_bytes});
    parts.push_back({&paint::kPending, "pending free", stats.pending_free_bytes});
  }
  parts.push_back({&paint::kInactive, "inactive: free inside the segments", stats.inactive_bytes});
  parts.push_back({&paint::kUnaccounted, "unaccounted", stats.unaccounted_bytes});
  return parts;
}

std::string use_text(const DeviceStats& stats) {
  if (stats.reserved_bytes == 0) return "nothing reserved";
  return fmt::format("{} reserved, {} in use", format_bytes(stats.reserved_bytes),
                     format_percent(stats.allocated_bytes + stats.pending_free_bytes, stats.reserved_bytes));
}

double draw_bars(Page& page, double y, const std::vector<Bar>& bars) {
  std::uint64_t longest = 0;
  bool has_names = false;
  for (const Bar& bar : bars) {
    longest = std::max(longest, sum_of(bar));
    has_names = has_names || !bar.name.empty();
  }
  if (longest == 0) return y;
  const double x = kMargin + (has_names ? kNameWidth : 0);
  const double width = has_names ? kContentWidth - kNameWidth - kNoteWidth : kContentWidth;
  for (const Bar& bar : bars) {
    if (!bar.name.empty()) add_text(page.svg(), kMargin, y + kBarHeight - 1, "small", bar.name);
    draw_parts(page.svg(), bar, x, y, width / static_cast<double>(longest));
    if (!bar.note.empty())
      add_text(page.svg(), kMargin + kContentWidth, y + kBarHeight - 1, "small muted end", bar.note);
    y += kRowHeight;
  }
  return y;
}

} // namespace memviz::render
