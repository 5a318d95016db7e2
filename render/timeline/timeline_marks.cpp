#include "timeline/timeline_marks.hpp"

#include "page/text_fit.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace memviz::render {
namespace {

constexpr double kMarkFontSize = 12;
constexpr std::uint32_t kMostFlagRows = 3;
constexpr std::size_t kMostFlags = 40;
constexpr double kLineRoom = 0.5; ///< next to a line; texts have a separate distance

Flag peak_flag(const PanelData& data) {
  const StateScale& states = data.layout.states;
  const BandChart& chart = data.chart.bands;
  const Slice& peak = chart.slices[chart.peak];
  const double next =
      chart.peak + 1 < chart.slices.size() ? states.x(chart.slices[chart.peak + 1].state) : states.width();
  Flag flag;
  // Returns the middle of its duration, as far as that is drawn.
  flag.x = std::min(states.x(peak.state) + std::min(8.0, (next - states.x(peak.state)) / 2), states.width() - 1);
  flag.at =
      states.position(peak.state) + (flag.x - states.x(peak.state)) / states.width() * (states.end() - states.begin());
  flag.y = data.layout.bytes.y(peak.live_bytes);
  flag.css_class = "peak";
  flag.text = fmt::format("peak {}, {}", format_bytes(peak.live_bytes),
                          peak.state == 0 ? "before the first event" : "event " + format_count(peak.state - 1));
  return flag;
}

std::string oom_text(const Mark& mark) {
  std::string asked = fmt::format("out of memory: {} asked", format_bytes(mark.size_bytes));
  if (mark.free_bytes > kMaxTotalBytes) return asked;
  return fmt::format("{}, {} free", asked, format_bytes(mark.free_bytes));
}

/// A text above the chart, taken from others.
struct Place {
  double begin;
  double end;
  std::uint32_t row;
};

/// Whether neither two texts nor a text and the line of another flag overlap.
bool is_free(const Place& place, const Flag& flag, const std::vector<Place>& taken, const std::vector<Flag>& placed) {
  const auto meets = [&](const Place& other) {
    if (other.row == place.row) return place.begin < other.end && other.begin < place.end;
    return other.row < place.row && other.begin < flag.x + kLineRoom && flag.x - kLineRoom < other.end;
  };
  const auto is_crossed = [&](const Flag& other) {
    return other.has_text && other.row > place.row && place.begin < other.x + kLineRoom &&
           other.x - kLineRoom < place.end;
  };
  return std::ranges::none_of(taken, meets) && std::ranges::none_of(placed, is_crossed);
}

/// Puts each text next to the line of its flag, in the lowest row with room.
void place(std::vector<Flag>& flags, double width, std::uint32_t first_row) {
  std::vector<Place> taken;
  std::vector<Flag> placed;
  for (Flag& flag : flags) {
    const double length = sans_width(flag.text, kMarkFontSize, Font::bold) + 8;
    const double beside = 2;
    const double right = flag.x + beside;
    const double left = flag.x - beside - length;
    flag.has_text = false;
    for (std::uint32_t row = first_row; row < first_row + kMostFlagRows && !flag.has_text; ++row) {
      for (const double begin : {flag.x < width / 2 ? right : left, flag.x < width / 2 ? left : right}) {
        const Place candidate{begin, begin + length, row};
        if (begin < -kChartLeft / 2 || begin + length > width + kMargin / 2) continue;
        if (!is_free(candidate, flag, taken, placed)) continue;
        flag.has_text = true;
        flag.text_x = begin;
        flag.row = row;
        taken.push_back(candidate);
        break;
      }
    }
    placed.push_back(flag);
  }
}

/// The script moves it, using these attributes.
XmlElement flag_group(XmlElement panel, double at, double x, std::string_view css_class = "flag") {
  return add_group(panel, css_class).set("data-at", fmt::format("{:.3f}", at)).set("data-x", x);
}

void draw_flag(XmlElement panel, const Flag& flag) {
  XmlElement group = flag_group(panel, flag.at, flag.x);
  group.child("title").text(flag.text);
  const double text_y = -6 - flag.row * kFlagRow;
  if (flag.has_text)
    add_text(group, flag.text_x + 4, text_y, fmt::format("small strong {}-text", flag.css_class), flag.text);
  const double from = flag.has_text ? text_y + 3 : -3;
  group.child("path")
      .set("class", fmt::format("{}-line", flag.css_class))
      .set("d", fmt::format("M{} {}V{}", px(flag.x), px(from), px(flag.y)));
  if (flag.css_class == "peak")
    group.child("circle").set("class", "peak-dot").set("cx", flag.x).set("cy", flag.y).set("r", 3.5);
}

void draw_snapshots(XmlElement panel, const PanelData& data) {
  const StateScale& states = data.layout.states;
  const double y = data.layout.bytes.height();
  double last = -10;
  for (const Mark& mark : data.chart.device.record.marks) {
    if (mark.kind != MarkKind::state || mark.state < data.chart.device.window.first ||
        mark.state > data.chart.device.window.last)
      continue;
    const double x = states.x(mark.state);
    if (x < last + 3) continue;
    last = x;
    XmlElement group = flag_group(panel, states.position(mark.state), x);
    group.child("path").set("class", "snapshot-mark").set("d", fmt::format("M{} {}l4 7h-8z", px(x), px(y)));
    group.child("title").text(fmt::format("a snapshot was taken here, event {}\n{} active",
                                          format_count(mark.state - 1), format_bytes(mark.size_bytes)));
  }
}

void draw_steps(XmlElement panel, const PanelData& data) {
  constexpr double kLeastStep = 5; // pixels between two lines
  constexpr double kNumberRoom = 8;
  const StateScale& states = data.layout.states;
  double last_line = -kLeastStep;
  double last_end = -kNumberRoom;
  for (const TimelineStep& step : data.chart.steps.steps) {
    const double x = states.x(step.begin);
    if (x < last_line + kLeastStep) continue;
    last_line = x;
    XmlElement group = flag_group(panel, states.position(step.begin), x, "flag step");
    group.set("data-step", step.number);
    group.child("title").text(step_text(step));
    group.child("path")
        .set("class", "step-line")
        .set("d", fmt::format("M{} -4V{}", px(x), px(data.layout.bytes.height())));
    const std::string number = format_count(step.number);
    const double width = sans_width(number, kMarkFontSize);
    if (x < last_end + kNumberRoom || x + width > states.width()) continue;
    last_end = x + width;
    add_text(group, x, -6, "small muted", number);
  }
}

/// The right end of a text at the right of the chart, next to the flags' lines.
double free_right_end(const MarksLayout& marks, double length, double width) {
  double end = width - 5;
  for (const Flag& flag : marks.flags)
    if (flag.x > end - length - 4 && flag.x < end + 4) end = std::min(end, flag.x - 6);
  return end;
}

/// Returns the highest drawn point of a line above [begin, end), in half pixels; nullopt if it does not reach there.
std::optional<std::int32_t> top_of(const TimelineShape& shape, double begin, double end) {
  std::optional<std::int32_t> top;
  for (std::size_t i = shape.steps.size(); i-- > 0;) {
    if (shape.steps[i].first * kColumnWidth < end) top = std::min(top.value_or(shape.steps[i].top), shape.steps[i].top);
    if (shape.steps[i].first * kColumnWidth < begin) break;
  }
  return top;
}

void draw_overlay(XmlElement panel, const PanelData& data, const MarksLayout& marks) {
  const StateScale& states = data.layout.states;
  const OverlayLine& overlay = data.chart.overlay;
  const Window window = data.chart.device.window;
  const Window known{std::max(window.first, overlay.from), window.last};
  if (known.first > known.last) return;
  const TimelineShape shape = lay_out_steps(overlay.steps, known, states, data.layout.bytes);
  panel.child("path").set("class", "reserved-line").set("d", shape.top_line());
  const auto last = overlay_at(overlay, known.last);
  // Over bands, words in that colour would not be readable.
  const bool is_covered = !last || *last < data.chart.bands.slices.back().live_bytes;
  if (is_covered || shape.steps.empty() || data.chart.kind == TimelineKind::segments) return;
  const double length = sans_width(overlay.name, kMarkFontSize);
  const double end = free_right_end(marks, length, states.width());
  const std::optional<std::int32_t> top = top_of(shape, end - length, end);
  if (!top) return; // the line begins after its words
  const double baseline = *top / 2.0 - 5;
  if (const auto capacity = capacity_of(data.chart.device)) {
    // Omits words that the line of the capacity would cross.
    const double y = data.layout.bytes.y(capacity->bytes);
    if (baseline - kMarkFontSize < y && y < baseline + 3) return;
  }
  add_text(panel, end, baseline, "small end reserved-text", overlay.name);
}

void draw_capacity(XmlElement panel, const PanelData& data) {
  const ByteScale& bytes = data.layout.bytes;
  const auto capacity = capacity_of(data.chart.device);
  if (!capacity || capacity->bytes > bytes.top_bytes()) return;
  const double y = std::round(bytes.y(capacity->bytes) * 2) / 2;
  panel.child("path")
      .set("class", "capacity-line")
      .set("d", fmt::format("M0 {}h{}", px(y), px(data.layout.states.width())));
  add_text(panel, 5, y - 5, "small capacity-text",
           fmt::format("{}: reserved + free at the error", format_bytes(capacity->bytes)));
}

} // namespace

std::string step_text(const TimelineStep& step) {
  return fmt::format("step {}\npeak {}\n{} live bytes from its beginning to its end", format_count(step.number),
                     format_bytes(step.peak_bytes), delta_text(step.growth_bytes));
}

MarksLayout lay_out_marks(const PanelData& data) {
  const StateScale& states = data.layout.states;
  const double ground = data.layout.bytes.height();
  MarksLayout marks;
  marks.flags.push_back(peak_flag(data));
  double last = -10;
  for (const Mark& mark : data.chart.device.record.marks) {
    const bool is_inside = mark.state >= data.chart.device.window.first && mark.state <= data.chart.device.window.last;
    if (mark.kind != MarkKind::oom || !is_inside || marks.flags.size() == kMostFlags) continue;
    const double x = std::min(states.x(mark.state), states.width() - 1);
    if (x < last + 2) continue;
    last = x;
    marks.flags.push_back(
        {.at = states.position(mark.state), .x = x, .y = ground, .css_class = "mark", .text = oom_text(mark)});
  }
  // The numbers of steps have the row next to the chart.
  marks.flag_rows = data.chart.steps.steps.empty() ? 0 : 1;
  place(marks.flags, states.width(), marks.flag_rows);
  for (const Flag& flag : marks.flags)
    if (flag.has_text) marks.flag_rows = std::max(marks.flag_rows, flag.row + 1);
  return marks;
}

void draw_marks(XmlElement panel, const PanelData& data, const MarksLayout& marks) {
  draw_overlay(panel, data, marks);
  draw_capacity(panel, data);
  draw_snapshots(panel, data);
  draw_steps(panel, data);
  for (const Flag& flag : marks.flags)
    draw_flag(panel, flag);
}

} // namespace memviz::render
