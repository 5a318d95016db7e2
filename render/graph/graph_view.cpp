#include "graph/graph_view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace memviz::render {
namespace {

// view.js places boxes by the same numbers, which it reads from the graph's data attributes.
constexpr double kRowHeight = 20;
constexpr double kBoxHeight = 19;
constexpr double kBoxGap = 1;
constexpr double kLabelPadding = 5;
constexpr double kBaseline = 13.5;
constexpr double kFontSize = 12;
constexpr double kColumnWidth = kFontSize * kMonoEm;
constexpr double kControlsHeight = 30;

std::string_view role_name(BoxRole role) {
  switch (role) {
  case BoxRole::group: return "group";
  case BoxRole::reason: return "reason";
  case BoxRole::frames: return "frames";
  case BoxRole::smaller: break;
  }
  return "smaller";
}

class GraphDrawer {
public:
  GraphDrawer(const Graph& graph, const SvgOptions& options) : graph_(graph), options_(options) {}

  void draw(XmlElement parent) {
    parent.set("data-units", graph_.units).set("data-rows", graph_.rows).set("data-width", kContentWidth);
    parent.set("data-row-height", kRowHeight).set("data-column-width", kColumnWidth);
    parent.set("data-box-height", kBoxHeight).set("data-padding", kLabelPadding).set("data-baseline", kBaseline);
    if (options_.upward) parent.set("data-upward", "1");
    for (const GraphBox& box : graph_.boxes)
      draw_box(parent, box);
  }

  /// The frames of all boxes, for the script: name, place, tooltip and origin of each.
  void draw_frames(XmlElement svg) const {
    if (frame_index_.empty()) return;
    XmlElement list = svg.child("metadata").set("id", "frames");
    std::vector<FrameId> ordered(frame_index_.size());
    for (const auto& [frame, index] : frame_index_)
      ordered[index] = frame;
    // Of many frames with long names less is told, so that the picture keeps to its size.
    constexpr std::size_t kFewestColumns = 60;
    const std::size_t columns =
        std::clamp(options_.max_bytes / (2 * ordered.size()), kFewestColumns, kMostHeadingColumns);
    FrameLabels labels(*graph_.frames);
    for (const FrameId frame : ordered) {
      const Label label = labels.of(frame);
      const CodeOrigin origin = (*graph_.origins)[frame.value];
      list.child("f")
          .set("n", label.name)
          .set("p", label.place)
          .set("c", paint_of(origin).name)
          .text(frame_heading(*graph_.frames, *graph_.origins, frame, columns));
    }
  }

private:
  [[nodiscard]] double pixels(std::uint64_t units) const {
    return static_cast<double>(units) * kContentWidth / static_cast<double>(graph_.units);
  }

  void draw_box(XmlElement parent, const GraphBox& box) {
    const std::uint32_t row = options_.upward ? graph_.rows - 1 - box.row : box.row;
    const double x = pixels(box.x_units);
    const double full_width = pixels(box.width_units);
    const double width = full_width > 3 * kBoxGap ? full_width - kBoxGap : full_width;
    const double y = row * kRowHeight;
    XmlElement group = add_group(parent, box.paint->name);
    add_data(group, box);
    XmlElement rect = add_rect(group, x, y, width, kBoxHeight);
    if (width > 8) rect.set("rx", 2);
    if (box.is_squeezed) draw_break(group, x, y, width);
    const auto columns = static_cast<std::size_t>(std::max(0.0, (width - 2 * kLabelPadding) / kColumnWidth));
    const std::string label = fit_label(box.label, columns);
    if (!label.empty()) group.child("text").set("x", x + kLabelPadding).set("y", y + kBaseline).text(label);
    group.child("title").text(box.title);
  }

  /// A dashed lower edge marks a box that is not to scale.
  static void draw_break(XmlElement group, double x, double y, double width) {
    group.child("path")
        .set("class", "hatch")
        .set("d", fmt::format("M{} {}h{}", px(x), px(y + kBoxHeight - 1), px(width)));
  }

  void add_data(XmlElement group, const GraphBox& box) {
    if (box.row == 0) group.set("id", "root");
    group.set("data-row", box.row).set("data-x", box.x_units).set("data-width", box.width_units);
    group.set("data-bytes", box.bytes).set("data-blocks", box.blocks);
    if (box.sides) group.set("data-before", box.sides->before.bytes).set("data-after", box.sides->after.bytes);
    if (!options_.scripts) return;
    if (box.sides)
      group.set("data-before-blocks", box.sides->before.blocks).set("data-after-blocks", box.sides->after.blocks);
    add_script_data(group, box);
  }

  /// What the script needs to label a box anew, and to build other trees.
  void add_script_data(XmlElement group, const GraphBox& box) {
    if (!box.label.note.empty()) group.set("data-note", box.label.note);
    if (box.role == BoxRole::frames) {
      group.set("data-frames", indices_of(box.frames));
      if (box.frames.size() == 1) return; // a frame has its label in the list of frames
    }
    if (box.role != BoxRole::frames) group.set("data-role", role_name(box.role));
    group.set("data-name", box.label.name);
    if (!box.label.place.empty()) group.set("data-place", box.label.place);
    if (box.role == BoxRole::smaller) group.set("data-stacks", box.stacks);
  }

  std::string indices_of(const std::vector<FrameId>& frames) {
    std::string text;
    for (const FrameId frame : frames) {
      const std::size_t index = frame_index_.try_emplace(frame, frame_index_.size()).first->second;
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", index);
    }
    return text;
  }

  const Graph& graph_;
  const SvgOptions& options_;
  std::map<FrameId, std::size_t> frame_index_;
};

} // namespace

double draw_graph(Page& page, double y, const Graph& graph, const SvgOptions& options) {
  XmlElement controls = page.svg().child("g").set("id", "controls").set("data-y", y);
  add_text(controls, kMargin, y + 16, "muted static-only",
           "Open this file in a browser to zoom, search, invert, and read and copy full stacks.");
  y += kControlsHeight;
  GraphDrawer drawer(graph, options);
  XmlElement group =
      page.svg().child("g").set("id", "graph").set("transform", fmt::format("translate({} {})", px(kMargin), px(y)));
  group.set("data-y", y);
  drawer.draw(group);
  if (options.scripts) drawer.draw_frames(page.svg());
  page.begin_below_graph();
  return y + graph.rows * kRowHeight;
}

} // namespace memviz::render
