#include "timeline/timeline_panel.hpp"

#include "page/kind_paints.hpp"
#include "page/text_fit.hpp"
#include "timeline/timeline_data.hpp"
#include "timeline/timeline_lane.hpp"
#include "timeline/timeline_marks.hpp"

#include "memviz/format.hpp"
#include "story/kind_words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <variant>
#include <vector>

namespace memviz::render {
namespace {

constexpr double kFontSize = 12;
constexpr double kLabelHeight = 14; ///< of a band that shows its name
constexpr double kLabelWidth = 54;  ///< narrower ones show none
constexpr double kThin = 3;         ///< lower bands have no separate border
constexpr double kAxisHeight = 24;

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

/// Returns the bytes without a stack that are live at all times, if something changes above them.
std::uint64_t floor_of(const Chart& chart) {
  std::vector<std::uint64_t> unknown_bytes(chart.bands.slices.size(), 0);
  for (const Strip& strip : chart.strips)
    if (strip.is_baseline && std::holds_alternative<Pseudo>(strip.key))
      for (std::size_t slice = 0; slice < unknown_bytes.size(); ++slice)
        unknown_bytes[slice] += strip.bytes[slice];
  const std::uint64_t floor = *std::ranges::min_element(unknown_bytes);
  const std::uint64_t peak = chart.bands.slices[chart.bands.peak].live_bytes;
  return peak - floor > peak / 100 ? floor : 0;
}

double height_of(const TimelineShape& shape) {
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

/// Draws two waves across the squeezed part, the usual sign for a break of the scale, and what they mean.
void draw_cut(XmlElement parent, const Frame& frame) {
  if (!frame.bytes.is_cut()) return;
  const double y = frame.bytes.height() - frame.bytes.cut_height() / 2;
  for (const double offset : {-3.0, 3.0}) {
    std::string path = fmt::format("M-5 {}", px(y + offset + 2));
    for (int i = 0; i < 2; ++i)
      path += "l5 -4l5 4";
    add_path(parent, "cut", path);
  }
  add_text(parent, -9, y + 4, "small muted end cut-text", "torn axis");
}

const Paint& band_paint(const PanelData& data, const Band& band) {
  return data.chart.is_by_kind() ? kind_paint(band.kind.kind)
                                 : *data.names.of(data.chart.device.record.device, band.life).paint;
}

/// The end of the name in the title, which the script shortens separately.
void set_place(XmlElement part, const LineName& name) {
  if (!name.label.place.empty()) part.set("data-place", name.label.place);
}

void draw_band(XmlElement bands, const PanelData& data, std::size_t index, const TimelineShape& shape) {
  // Present even if nothing of it is visible: the script stacks all of them.
  const std::string path = shape.path();
  const Chart& chart = data.chart;
  const Band& band = chart.bands.bands[index];
  const DeviceRecord& record = chart.device.record;
  const LineName& name = data.names.of(record.device, band.life);
  const bool is_segment = chart.kind == TimelineKind::segments;
  const bool is_thin = height_of(shape) < kThin;
  XmlElement drawn = add_path(bands, fmt::format("{}{}", band_paint(data, band).name, is_thin ? " thin" : ""), path);
  drawn.set("data-slices", fmt::format("{} {}", band.first, band.last))
      .set("data-bytes", band.life.size_bytes)
      .set("data-line", chart.is_by_kind() ? data.names.of(band.kind.kind).index : name.index)
      .set("data-stack", data.stacks.place_of(band.life.stack));
  set_place(drawn, name);
  if (data.keepers != nullptr && !is_segment)
    drawn.set("data-keeper", data.keepers->numbers_of(record.device, band.life));
  std::string title = fmt::format("{}\n{}\n{}\n{}", name.text, format_exact_bytes(band.life.size_bytes),
                                  address_name(band, is_segment), lifetime_text(record, band.life));
  if (is_segment && band.life.home < record.homes.size()) title += "\n" + home_text(record.homes[band.life.home]);
  if (chart.is_by_kind()) drawn.set("data-layer", layer_of(chart.bands, band));
  if (chart.is_by_kind() || band.kind.kind != MemoryKind::unknown) title += "\n" + kind_line(band.kind);
  if (!is_segment)
    for (const StringId annotation : record.annotations_of(band.life))
      title += "\nannotated: " + annotation_text(data.frames.text(annotation));
  drawn.child("title").text(title);
}

/// "slice bytes" at each change of the bytes, both as differences.
std::string changes_of(const std::vector<std::uint64_t>& bytes) {
  std::string text;
  std::size_t last = 0;
  std::uint64_t last_bytes = 0;
  for (std::size_t slice = 0; slice < bytes.size(); ++slice) {
    if (bytes[slice] == last_bytes) continue;
    const auto change = static_cast<std::int64_t>(bytes[slice] - last_bytes);
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", slice - last, change);
    last = slice;
    last_bytes = bytes[slice];
  }
  return text;
}

std::string strip_words(const Chart& chart, const Strip& strip) {
  const bool is_segment = chart.kind == TimelineKind::segments;
  if (strip.is_baseline) return format_counted(strip.lives, "allocation") + " from before the first event";
  return fmt::format("{} too small for a band of {} own",
                     format_counted(strip.lives, is_segment ? "segment" : "allocation"),
                     strip.lives == 1 ? "its" : "their");
}

void draw_strips(XmlElement parent, const PanelData& data, bool is_baseline) {
  const Chart& chart = data.chart;
  XmlElement strips = add_group(parent, is_baseline ? "strips below" : "strips above");
  for (std::size_t i = 0; i < chart.strips.size(); ++i) {
    const Strip& strip = chart.strips[i];
    if (strip.is_baseline != is_baseline) continue;
    const LineName& name = data.names.of(strip.key);
    // Present even if it is empty: the script may add to it.
    XmlElement drawn = add_path(strips, name.paint->name, data.layout.shapes.strips[i].path());
    drawn.set("data-line", name.index).set("data-bytes", changes_of(strip.bytes));
    set_place(drawn, name);
    if (chart.is_by_kind()) drawn.set("data-layer", layer_of(chart.bands, strip));
    drawn.child("title").text(
        fmt::format("{}\n{} at the peak\n{}{}", name.text, format_exact_bytes(strip.bytes[chart.bands.peak]),
                    chart.is_by_kind() ? fmt::format("kind: {}, ", name.text) : "", strip_words(chart, strip)));
  }
}

void draw_label(XmlElement parent, const TimelineShape& shape, std::string_view paint_name, const Label& label) {
  const auto room = room_in(shape, kLabelHeight);
  if (!room || room->width < kLabelWidth) return;
  const auto columns = static_cast<std::size_t>((room->width - 8) / (kFontSize * kMonoEm));
  const std::string text = fit_line_label(label, columns);
  if (text.empty()) return;
  add_text(parent, room->x + 4, room->top + room->height / 2 + 4, fmt::format("mono-small band-label {}", paint_name),
           text);
}

Label with_bytes(Label label, std::uint64_t bytes) {
  label.note = format_bytes(bytes);
  return label;
}

/// Labels each layer once, instead of each band in it.
void draw_layer_labels(XmlElement labels, const StackShapes& shapes) {
  for (std::size_t layer = 0; layer < shapes.layers.size(); ++layer) {
    const MemoryKind kind = kKindLayers.at(layer);
    draw_label(labels, shapes.layers[layer], kind_paint(kind).name, {.name = std::string(kind_label(kind))});
  }
}

void draw_labels(XmlElement parent, const PanelData& data) {
  XmlElement labels = add_group(parent, "labels");
  const StackShapes& shapes = data.layout.shapes;
  if (data.chart.is_by_kind()) return draw_layer_labels(labels, shapes);
  for (std::size_t i = 0; i < shapes.strips.size(); ++i) {
    const LineName& name = data.names.of(data.chart.strips[i].key);
    draw_label(labels, shapes.strips[i], name.paint->name, name.label);
  }
  for (std::size_t i = 0; i < shapes.bands.size(); ++i) {
    const Life& life = data.chart.bands.bands[i].life;
    const LineName& name = data.names.of(data.chart.device.record.device, life);
    draw_label(labels, shapes.bands[i], name.paint->name, with_bytes(name.label, life.size_bytes));
  }
}

/// Drawn behind a whole kind, so that the seams of many narrow bands do not look like another colour.
void draw_layer_grounds(XmlElement parent, const StackShapes& shapes) {
  XmlElement grounds = add_group(parent, "layer-grounds");
  for (std::size_t layer = 0; layer < shapes.layers.size(); ++layer)
    if (height_of(shapes.layers[layer]) > 0)
      add_path(grounds, kind_paint(kKindLayers.at(layer)).name, shapes.layers[layer].path()).set("data-layer", layer);
}

/// Draws the borders between kinds.
void draw_layer_lines(XmlElement parent, const StackShapes& shapes) {
  XmlElement lines = add_group(parent, "layer-lines");
  for (std::size_t layer = 0; layer < shapes.layers.size(); ++layer)
    if (height_of(shapes.layers[layer]) > 0)
      lines.child("path").set("data-layer", layer).set("d", shapes.layers[layer].top_line());
}

void draw_stack(XmlElement parent, const PanelData& data) {
  const StackShapes& shapes = data.layout.shapes;
  if (data.chart.is_by_kind()) draw_layer_grounds(parent, shapes);
  draw_strips(parent, data, true);
  XmlElement bands = add_group(parent, "bands");
  for (std::size_t i = 0; i < shapes.bands.size(); ++i)
    draw_band(bands, data, i, shapes.bands[i]);
  draw_strips(parent, data, false);
  if (data.chart.is_by_kind()) draw_layer_lines(parent, shapes);
  add_path(parent, "lowest-line", shapes.lowest.top_line());
  add_path(parent, "live-line", shapes.live.top_line());
  draw_labels(parent, data);
}

void draw_state_axis(XmlElement panel, const Frame& frame, const PanelData& data) {
  XmlElement parent = add_group(panel, "state-axis");
  const double y = frame.bytes.height();
  const double unit_width = sans_width(data.axis_words, kFontSize);
  for (const Tick& tick : frame.states.ticks()) {
    add_path(parent, "grid", fmt::format("M{} {}v4", px(tick.at), px(y)));
    if (tick.at > frame.states.width() - unit_width - sans_width(tick.text, kFontSize) / 2 - 10) continue;
    add_text(parent, tick.at, y + 16, "small muted middle", tick.text);
  }
  add_text(parent, frame.states.width(), y + 16, "small muted end", data.axis_words);
}

} // namespace

std::optional<PanelLayout> lay_out_panel(const Chart& chart, TimelineAxis axis, std::size_t most_steps) {
  const StateScale states(chart.device.record, axis, chart.device.window, chart.range);
  const ByteScale bytes(chart.top_bytes, chart.is_alone && !chart.is_by_kind() ? floor_of(chart) : 0, chart.height,
                        kRoomAbove);
  auto shapes = lay_out_stack({chart.bands, chart.strips, states, bytes}, most_steps);
  if (!shapes) return std::nullopt;
  return PanelLayout{states, bytes, std::move(*shapes)};
}

double draw_panel(Page& page, double y, const PanelData& data) {
  const MarksLayout marks = lay_out_marks(data);
  const double section_top = y;
  const AnnotationLane& lane = data.chart.lane;
  const double lane_height = lane.rows * kLaneRow + (lane.rows > 0 ? 4 : 0);
  const double top = y + lane_height + marks.flag_rows * kFlagRow + 4;
  const Frame frame{top, data.layout.states, data.layout.bytes};
  const double bottom = top + data.chart.height + kAxisHeight;
  XmlElement section = page.add_section(y, "chart");
  if (data.chart.is_closed) section.set("class", "closed").set("data-height", bottom - y);
  XmlElement panel = add_group(section, data.chart.is_by_kind() ? "chart kinds" : "chart");
  panel.set("transform", moved_to(kChartLeft, top));
  write_panel_data(panel, data, top);
  draw_grid(panel, frame);
  draw_stack(panel, data);
  draw_cut(panel, frame);
  draw_marks(panel, data, marks);
  draw_lane(panel, section_top - top, data);
  draw_state_axis(panel, frame, data);
  return data.chart.is_closed ? y : bottom;
}

} // namespace memviz::render
