#include "timeline/timeline_lane.hpp"

#include "page/text_fit.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz::render {
namespace {

constexpr double kLaneFontSize = 12;

/// Returns the beginning and the end of a span on the axis.
std::pair<double, double> axis_extent(const AnnotationSpan& span, const PanelData& data) {
  const StateScale& states = data.layout.states;
  const auto inside = [&](double at) { return std::clamp(at, states.begin(), states.end()); };
  if (data.axis == TimelineAxis::time)
    return {span.begin == 0 ? states.begin() : inside(states.offset() + static_cast<double>(span.begin_us)),
            span.end == kForever ? states.end() : inside(states.offset() + static_cast<double>(span.end_us))};
  const auto at = [&](std::uint32_t state) {
    return state > data.chart.device.window.last ? states.end() : inside(states.position(state));
  };
  return {at(span.begin), at(span.end)};
}

/// One or several annotations, as drawn in the lane.
struct LaneSpan {
  double begin_at = 0; ///< on the axis
  double end_at = 0;
  double left = 0; ///< in pixels
  double width = 0;
  std::string name;
  std::string title;
};

std::string lane_label(const LaneSpan& span) {
  return fit_label({.name = span.name},
                   static_cast<std::size_t>(std::max(0.0, (span.width - 8) / (kLaneFontSize * kMonoEm))));
}

/// Many may lie within one pixel; those without any width cover no event.
std::vector<LaneSpan> spans_of(const AnnotationLane& lane, std::uint32_t row, const PanelData& data) {
  std::vector<LaneSpan> spans;
  double drawn_to = -1;
  for (const AnnotationSpan& span : lane.spans) {
    if (span.row != row) continue;
    const auto [begin_at, end_at] = axis_extent(span, data);
    const double begin = data.layout.states.x_at(begin_at);
    const double end = data.layout.states.x_at(end_at);
    if (end <= begin || end < drawn_to + 0.5) continue;
    const double left = std::max(begin, drawn_to);
    const double width = std::max(0.75, end - left);
    drawn_to = left + width;
    const std::string name = cut_end(data.frames.text(span.name).substr(0, 800), 200);
    spans.push_back({begin_at, end_at, left, width, name, name});
  }
  return spans;
}

/// Returns the end of the run of neighbours from `begin` on that are too narrow for a word; begin + 1 if there is no
/// such run.
std::size_t end_of_group(const std::vector<LaneSpan>& spans, std::size_t begin) {
  constexpr double kMostGap = 8; // pixels; web/timeline/lane.js merges with the same numbers
  std::size_t end = begin;
  while (end < spans.size() && lane_label(spans[end]).empty() &&
         (end == begin || spans[end].left - (spans[end - 1].left + spans[end - 1].width) < kMostGap))
    ++end;
  return std::max(end, begin + 1);
}

LaneSpan merged(std::span<const LaneSpan> spans) {
  constexpr std::size_t kMostNames = 12;
  LaneSpan whole = spans.front();
  whole.end_at = spans.back().end_at;
  whole.width = spans.back().left + spans.back().width - whole.left;
  std::map<std::string, std::size_t> counts;
  for (const LaneSpan& span : spans)
    ++counts[span.name];
  const std::string count = format_count(spans.size());
  whole.title = fmt::format("{} annotations, too narrow to draw", count);
  whole.name = counts.size() == 1 ? fmt::format("{}× {}", count, whole.name) : fmt::format("{} annotations", count);
  std::size_t listed = 0;
  for (const auto& [name, times] : counts)
    if (listed++ < kMostNames) whole.title += fmt::format("\n{}× {}", format_count(times), name);
  if (counts.size() > kMostNames) whole.title += "\n…";
  return whole;
}

void draw_span(XmlElement lane, double y, const LaneSpan& span, std::string_view css_class) {
  XmlElement group = add_group(lane, css_class);
  group.set("data-begin", fmt::format("{:.3f}", span.begin_at)).set("data-end", fmt::format("{:.3f}", span.end_at));
  add_rect(group, span.left, y, span.width > 3 ? span.width - 0.75 : span.width, kLaneRow - 2).set("rx", 2);
  group.child("title").text(span.title);
  if (const std::string label = lane_label(span); !label.empty())
    add_text(group, span.left + 4, y + 10, "mono-small", label);
}

} // namespace

void draw_lane(XmlElement panel, double y, const PanelData& data) {
  const AnnotationLane& annotations = data.chart.lane;
  if (annotations.spans.empty()) return;
  XmlElement lane = add_group(panel, "lane");
  for (std::uint32_t row = 0; row < annotations.rows; ++row) {
    const std::vector<LaneSpan> spans = spans_of(annotations, row, data);
    const double top = y + row * kLaneRow;
    for (std::size_t begin = 0; begin < spans.size();) {
      const std::size_t end = end_of_group(spans, begin);
      for (std::size_t i = begin; i < end; ++i)
        draw_span(lane, top, spans[i], end - begin > 1 ? "group narrow" : "group");
      if (end - begin > 1) draw_span(lane, top, merged(std::span(spans).subspan(begin, end - begin)), "group merged");
      begin = end;
    }
  }
}

} // namespace memviz::render
