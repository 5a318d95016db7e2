#include "timeline/timeline_panel.hpp"

#include "page/text_fit.hpp"
#include "timeline/timeline_data.hpp"
#include "timeline/timeline_marks.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr double kLabelHeight = 14; ///< of a band that bears its name
constexpr double kLabelWidth = 54;  ///< narrower ones bear none
constexpr double kThin = 3;         ///< lower bands have no border of their own
constexpr double kAxisHeight = 24;
constexpr double kRoomAbove = 18; ///< the highest value, for the words upon a line there

struct Frame {
  double top; ///< of the chart on the page
  const StateScale& states;
  const ByteScale& bytes;
};

std::string moved_to(double x, double y) {
  return fmt::format("translate({} {})", px(x), px(y));
}

XmlElement add_path(XmlElement parent, std::string_view css_class, const std::string& path) {
  return parent.child("path").set("class", css_class).set("d", path);
}

std::uint64_t scale_top(const PanelData& data) {
  std::uint64_t top = 1;
  for (const Slice& slice : data.chart.slices)
    top = std::max(top, slice.live_bytes);
  const std::uint64_t live = top;
  for (const Step& step : data.overlay.steps)
    if (step.state <= data.device.window.last && step.state >= data.overlay.from) top = std::max(top, step.bytes);
  if (const auto bytes = overlay_at(data.overlay, data.device.window.first)) top = std::max(top, *bytes);
  const auto capacity = capacity_of(data.device);
  // A line far above all else would flatten the rest.
  if (capacity && capacity->bytes < 2 * std::max(top, live)) top = std::max(top, capacity->bytes);
  return top;
}

/// What is there at all times, where something happens upon it.
std::uint64_t floor_of(const BandChart& chart) {
  std::uint64_t floor = chart.slices.front().baseline_bytes;
  for (const Slice& slice : chart.slices)
    floor = std::min(floor, slice.baseline_bytes);
  const std::uint64_t peak = chart.slices[chart.peak].live_bytes;
  return peak - floor > peak / 100 ? floor : 0;
}

double height_of(const Shape& shape) {
  std::int32_t most = 0;
  for (const ShapeStep& step : shape.steps)
    most = std::max(most, step.bottom - step.top);
  return most / 2.0;
}

void draw_grid(XmlElement parent, const Frame& frame) {
  add_rect(parent, 0, 0, frame.states.width(), frame.bytes.height()).set("class", "panel-ground");
  for (const Tick& tick : frame.bytes.ticks()) {
    add_path(parent, "grid", fmt::format("M0 {}h{}", px(std::round(tick.at * 2) / 2), px(frame.states.width())));
    add_text(parent, -7, std::clamp(tick.at + 4, 9.0, frame.bytes.height() + 1), "small muted end", tick.text);
  }
}

/// Two waves across the squeezed part, as a break of the scale is drawn.
void draw_cut(XmlElement parent, const Frame& frame) {
  if (!frame.bytes.is_cut()) return;
  const double y = frame.bytes.height() - frame.bytes.cut_height() / 2;
  for (const double offset : {-3.0, 3.0}) {
    std::string path = fmt::format("M-5 {}", px(y + offset + 2));
    for (int i = 0; i < 2; ++i)
      path += "l5 -4l5 4";
    add_path(parent, "cut", path);
  }
}

/// Allocations by line of code, segments by where they are.
LineName name_of(const PanelData& data, const Band& band) {
  if (data.kind == TimelineKind::allocations) return data.names.of(band.life.stack);
  return data.names.of_place(home_text(data.device.record.homes.at(band.life.home)));
}

void draw_band(XmlElement bands, const PanelData& data, std::size_t index, const Shape& shape) {
  // There even where nothing of it is high enough to be seen: the script stacks all of them.
  const std::string path = shape.path();
  const Band& band = data.chart.bands[index];
  const LineName name = name_of(data, band);
  const bool is_thin = height_of(shape) < kThin;
  XmlElement drawn = add_path(bands, fmt::format("{}{}", name.paint->name, is_thin ? " thin" : ""), path);
  drawn.set("data-slices", fmt::format("{} {}", band.first, band.last))
      .set("data-bytes", band.life.size_bytes)
      .set("data-stack", data.stacks.place_of(band.life.stack));
  drawn.child("title").text(fmt::format("{}\n{}\n{}\n{}", name.text, both_bytes(band.life.size_bytes),
                                        address_name(band, data.kind == TimelineKind::segments),
                                        lifetime_text(data.device.record, band.life)));
}

void draw_label(XmlElement parent, const Shape& shape, std::string_view paint_name, const Label& label) {
  const auto room = room_in(shape, kLabelHeight);
  if (!room || room->width < kLabelWidth) return;
  const auto columns = static_cast<std::size_t>((room->width - 8) / (11 * kMonoEm));
  const std::string text = fit_label(label, columns);
  if (text.empty()) return;
  add_text(parent, room->x + 4, room->top + room->height / 2 + 4, fmt::format("mono-small band-label {}", paint_name),
           text);
}

Label with_bytes(Label label, std::uint64_t bytes) {
  label.note = format_bytes(bytes);
  return label;
}

void draw_stack(XmlElement parent, const PanelData& data, const StackShapes& shapes) {
  const Slice& peak = data.chart.slices[data.chart.peak];
  const std::string baseline = shapes.baseline.path();
  if (!baseline.empty()) {
    add_path(parent, "baseline", baseline)
        .child("title")
        .text(fmt::format("lived before the first event\n{} at the peak", both_bytes(peak.baseline_bytes)));
  }
  XmlElement bands = add_group(parent, "bands");
  for (std::size_t i = 0; i < shapes.bands.size(); ++i)
    draw_band(bands, data, i, shapes.bands[i]);
  // There even where it is empty: the script may leave more to it.
  add_path(parent, "rest", shapes.rest.path())
      .child("title")
      .text(fmt::format("the rest: {}\n{} at the peak",
                        count_of(data.chart.rest_lives,
                                 data.kind == TimelineKind::segments ? "smaller segment" : "smaller allocation"),
                        both_bytes(peak.rest_bytes)));
  add_path(parent, "lowest-line", shapes.lowest.top_line());
  add_path(parent, "live-line", shapes.live.top_line());

  XmlElement labels = add_group(parent, "labels");
  draw_label(labels, shapes.baseline, "baseline", {.name = "lived before the first event", .brief = "before"});
  for (std::size_t i = 0; i < shapes.bands.size(); ++i) {
    const Life& life = data.chart.bands[i].life;
    const LineName name = name_of(data, data.chart.bands[i]);
    draw_label(labels, shapes.bands[i], name.paint->name, with_bytes(name.label, life.size_bytes));
  }
  draw_label(labels, shapes.rest, "rest", {.name = "the rest", .brief = "rest"});
}

void draw_state_axis(XmlElement panel, const Frame& frame, const PanelData& data) {
  XmlElement parent = add_group(panel, "state-axis");
  const double y = frame.bytes.height();
  const std::string unit = data.axis == TimelineAxis::time ? "time since the first event" : "events";
  const double unit_width = sans_width(unit, 11);
  for (const Tick& tick : frame.states.ticks()) {
    add_path(parent, "grid", fmt::format("M{} {}v4", px(tick.at), px(y)));
    if (tick.at > frame.states.width() - unit_width - sans_width(tick.text, 11) / 2 - 10) continue;
    add_text(parent, tick.at, y + 16, "small muted middle", tick.text);
  }
  add_text(parent, frame.states.width(), y + 16, "small muted end", unit);
}

} // namespace

std::optional<std::uint64_t> overlay_at(const Overlay& overlay, std::uint32_t state) {
  if (state < overlay.from) return std::nullopt;
  const auto after = std::upper_bound(overlay.steps.begin(), overlay.steps.end(), state,
                                      [](std::uint32_t wanted, const Step& step) { return wanted < step.state; });
  return after == overlay.steps.begin() ? std::nullopt : std::optional(std::prev(after)->bytes);
}

std::optional<Capacity> capacity_of(const TimelineDevice& device) {
  const DeviceRecord& record = device.record;
  const Overlay reserved{"reserved", record.reserved, record.reserved_known_from};
  for (auto mark = record.marks.rbegin(); mark != record.marks.rend(); ++mark) {
    if (mark->kind != MarkKind::oom || mark->state < device.window.first || mark->state > device.window.last) continue;
    const auto bytes = overlay_at(reserved, mark->state);
    // Where CUDA could not say what is free, the file holds a number near 2^64.
    if (!bytes || mark->free_bytes > kMaxTotalBytes) continue;
    return Capacity{*bytes + mark->free_bytes, &*mark};
  }
  return std::nullopt;
}

std::optional<double> draw_panel(Page& page, double y, const PanelData& data, std::size_t most_steps) {
  const Window window = data.device.window;
  const StateScale states(data.device.record, data.axis, window, kChartWidth);
  const ByteScale bytes(scale_top(data), floor_of(data.chart), data.height, kRoomAbove);
  const auto shapes = lay_out_stack(data.chart, states, bytes, most_steps);
  if (!shapes) return std::nullopt;

  const MarksLayout marks = lay_out_marks(data, states, bytes);
  const double lane_top = y;
  y += data.lane.rows * kLaneRow + (data.lane.rows > 0 ? 4 : 0);
  const double top = y + marks.flag_rows * kFlagRow + 4;
  const Frame frame{top, states, bytes};
  XmlElement panel = add_group(page.svg(), "chart");
  panel.set("transform", moved_to(kChartLeft, top));
  write_panel_data(panel, data, states, bytes);
  draw_grid(panel, frame);
  draw_stack(panel, data, *shapes);
  draw_cut(panel, frame);
  draw_marks(panel, data, states, bytes, marks);
  draw_lane(panel, lane_top - top, data, states, data.frames);
  draw_state_axis(panel, frame, data);
  return top + data.height + kAxisHeight;
}

} // namespace memviz::render
