#include "graph/graph_view.hpp"

#include "graph/siblings.hpp"
#include "page/frame_list.hpp"
#include "page/kind_paints.hpp"
#include "web/embedded.hpp"

#include "story/kind_words.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace memviz::render {
namespace {

// web/flame/ places boxes with the same numbers, which it reads from the graph's data attributes.
constexpr double kRowHeight = 20;
constexpr double kBoxHeight = 19;
constexpr double kBoxGap = 1;
constexpr double kLabelPadding = 5;
constexpr double kBaseline = 13.5;
constexpr double kFontSize = 12;
constexpr double kColumnWidth = kFontSize * kMonoEm;
/// The room for the edge of a torn box.
constexpr double kTornRoom = 14;
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
  GraphDrawer(const FlameGraph& graph, const SvgOptions& options) : graph_(graph), options_(options) {}

  void draw(XmlElement parent) {
    parent.set("data-units", graph_.units).set("data-rows", graph_.rows).set("data-width", kContentWidth);
    parent.set("data-row-height", kRowHeight).set("data-column-width", kColumnWidth);
    parent.set("data-box-height", kBoxHeight).set("data-padding", kLabelPadding).set("data-baseline", kBaseline);
    if (options_.upward) parent.set("data-upward", "1");
    if (graph_.quantity == Quantity::work) parent.set("data-quantity", "work");
    const std::vector<std::string> labels = shown_labels(graph_, [&](const GraphBox& box) { return columns_in(box); });
    for (std::size_t i = 0; i < labels.size(); ++i)
      draw_box(parent, graph_.boxes[i], labels[i]);
    if (graph_.has_kind_colours) parent.set("data-color", "kind");
    if (!kinds_.empty()) parent.set("data-kinds", kinds_text());
  }

  /// Writes the frames of all boxes, for the script.
  void draw_frames(XmlElement svg) const {
    frames_.write(svg, *graph_.frames, *graph_.origins, *graph_.paints, options_.max_bytes);
  }

private:
  [[nodiscard]] double pixels(std::uint64_t units) const {
    return static_cast<double>(units) * kContentWidth / static_cast<double>(graph_.units);
  }

  [[nodiscard]] std::size_t columns_in(const GraphBox& box) const {
    const double full_width = pixels(box.width_units);
    const double width = full_width > 3 * kBoxGap ? full_width - kBoxGap : full_width;
    const double room = width - 2 * kLabelPadding - (box.is_squeezed ? kTornRoom : 0);
    return static_cast<std::size_t>(std::max(0.0, room / kColumnWidth));
  }

  void draw_box(XmlElement parent, const GraphBox& box, const std::string& label) {
    const std::uint32_t row = options_.upward ? graph_.rows - 1 - box.row : box.row;
    const double x = pixels(box.x_units);
    const double full_width = pixels(box.width_units);
    const double width = full_width > 3 * kBoxGap ? full_width - kBoxGap : full_width;
    const double y = row * kRowHeight;
    XmlElement group = add_group(parent, box.paint->name);
    add_data(group, box);
    XmlElement rect = add_rect(group, x, y, width, kBoxHeight);
    if (width > 8) rect.set("rx", 2);
    if (box.is_squeezed) draw_torn(group, x, y, width);
    if (!label.empty()) group.child("text").set("x", x + kLabelPadding).set("y", y + kBaseline).text(label);
    group.child("title").text(box.title);
  }

  /// A jagged strip through a box says that it is not to scale.
  static void draw_torn(XmlElement group, double x, double y, double width) {
    constexpr int kTeeth = 4;
    constexpr double kStrip = 5;
    const double strip = std::min(kStrip, width / 3);
    const double left = x + width - std::min(kTornRoom, width / 2) - strip / 2;
    const auto edge = [&](double step) {
      std::string path;
      for (int i = 0; i < kTeeth; ++i)
        path += fmt::format("l{} {}", px(i % 2 == 0 ? strip / 2 : -strip / 2), px(step));
      return path;
    };
    constexpr double kStep = kBoxHeight / kTeeth;
    group.child("path")
        .set("class", "torn")
        .set("d", fmt::format("M{} {}{}h{}{}z", px(left), px(y), edge(kStep), px(strip), edge(-kStep)));
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
    add_kinds(group, box);
  }

  /// Adds the data that the script needs to relabel a box, and to build other trees.
  void add_script_data(XmlElement group, const GraphBox& box) {
    if (!box.label.note.empty()) group.set("data-note", box.label.note);
    if (box.role == BoxRole::frames) {
      group.set("data-frames", indices_of(box.frames));
      if (box.frames.size() == 1) return; // a frame's label is in the list of frames
    }
    if (box.role != BoxRole::frames) group.set("data-role", role_name(box.role));
    group.set("data-name", box.label.name);
    if (!box.label.place.empty()) group.set("data-place", box.label.place);
    if (box.role != BoxRole::frames && !box.label.brief.empty()) group.set("data-brief", box.label.brief);
    if (box.role == BoxRole::smaller) group.set("data-stacks", box.stacks);
    if (!box.reason.empty()) group.set("data-reason", box.reason);
  }

  /// "0:4096 2:512": the bytes of each kind by its index in `kinds_`; "0" if that is the whole box.
  void add_kinds(XmlElement group, const GraphBox& box) {
    if (!graph_.has_kinds && !graph_.has_kind_colours) return;
    std::string text;
    for (const KindShare& share : box.kinds) {
      if (share.amount.bytes == 0) continue;
      const auto known = std::ranges::find(kinds_, share.kind);
      text += fmt::format("{}{}", text.empty() ? "" : " ", known - kinds_.begin());
      if (known == kinds_.end()) kinds_.push_back(share.kind);
      if (share.amount.bytes != box.bytes) text += fmt::format(":{}", share.amount.bytes);
    }
    if (!text.empty()) group.set("data-kinds", text);
  }

  /// "activation,by behaviour,kind-activation;..."
  [[nodiscard]] std::string kinds_text() const {
    std::string text;
    for (const KindOf& kind : kinds_)
      fmt::format_to(std::back_inserter(text), "{}{},{},{}", text.empty() ? "" : ";", kind_label(kind.kind),
                     evidence_text(kind.evidence), kind_paint(kind.kind).name);
    return text;
  }

  std::string indices_of(const std::vector<FrameId>& frames) {
    std::string text;
    for (const FrameId frame : frames)
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", frames_.index_of(frame));
    return text;
  }

  const FlameGraph& graph_;
  const SvgOptions& options_;
  FrameList frames_;
  std::vector<KindOf> kinds_; ///< that occur in boxes
};

} // namespace

double draw_graph(Page& page, double y, const FlameGraph& graph, const SvgOptions& options) {
  page.use_script(kFlameScript);
  XmlElement controls = page.add_section(y, "controls").set("id", "controls");
  if (options.scripts) add_text(controls, kMargin, y + 16, "muted static-only browser-only", kOpenInBrowser);
  y += kControlsHeight;
  GraphDrawer drawer(graph, options);
  XmlElement group = page.add_section(y, "graph").child("g");
  group.set("id", "graph").set("transform", fmt::format("translate({} {})", px(kMargin), px(y))).set("data-y", y);
  drawer.draw(group);
  if (options.scripts) drawer.draw_frames(page.svg());
  page.begin_below_graph();
  return y + graph.rows * kRowHeight;
}

} // namespace memviz::render
