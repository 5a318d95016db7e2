#include "page/header.hpp"
#include "page/kind_paints.hpp"
#include "page/leading_rows.hpp"
#include "page/naming.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/text_fit.hpp"
#include "pictures/explain_parts.hpp"
#include "segments/board_drawing.hpp"
#include "segments/board_panel.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/pins.hpp"
#include "memviz/story.hpp"
#include "memviz/svg.hpp"
#include "memviz/warnings.hpp"
#include "story/figures.hpp"
#include "story/kind_words.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace memviz {
namespace render {
namespace {

/// The devices whose failed request, or whose events, are drawn.
constexpr std::size_t kMostFailures = 4;
constexpr std::size_t kEventColumns = static_cast<std::size_t>(kContentWidth / (12 * kMonoEm));

struct Failure {
  const DeviceState* device_state;
  DeviceExplanation room; ///< of which only the request and the ledger are known
};

class State {
public:
  State(const StatePicture& picture, const ColourChoice& color)
      : picture_(picture), origins_(origins_of(picture.state.frames())), lines_(picture.state.frames()),
        pins_(find_pins(picture.state, {.device = picture.device})),
        colouring_(colouring_for(picture.state, origins_, picture.device, color)),
        devices_(picture.state.devices_of(picture.device)) {
    list_holders(color);
    for (const DeviceState& device_state : devices_)
      find_failure(device_state);
  }

  [[nodiscard]] std::uint64_t reserved_bytes() const { return shown_figures(devices_).reserved_bytes; }

  [[nodiscard]] std::string draw(const SvgOptions& options, const BoardDetail& detail) {
    const Story story = state_story(picture_.state, picture_.device, failed_request());
    Page page(options, fmt::format("{}: {}. {}", picture_.file, story.headline, story.answer));
    if (!colouring_.lines.empty()) page.svg().child("style").cdata(paints_css(kind_paints()));
    define_board_styles(page);
    double y = draw_top(page, story);
    page.begin_below_graph();
    y = draw_board_panel(page, y, {picture_.state, origins_, colouring_, pins_, picture_.device}, options, detail);
    add_rule(page.below_graph(), y + 4);
    y = draw_ranked_list(page, y + 12, list_) + 4;
    const DeviceState* const leading = leading_device(devices_);
    for (const DeviceState& device_state : devices_)
      if (leading == nullptr || &device_state == leading) y = draw_events(page, y + 4, device_state);
    add_rule(page.below_graph(), y + 4);
    y = draw_warnings(page, y + 14, warnings_and_losses(picture_.state));
    if (lacks_kinds()) y = draw_notes(page, y, {no_kinds_note()});
    return page.finish(draw_signature(page, y));
  }

private:
  /// Lists what the device in the headline holds, in the colours of the board.
  void list_holders(const ColourChoice& color) {
    const DeviceState* const leading = leading_device(devices_);
    if (leading == nullptr) {
      list_ = class_list(colouring_, sum_of(devices_).requested_bytes);
      return;
    }
    Colouring own = colouring_for(picture_.state, origins_, leading->device, color);
    own.heading += ", of " + name_of(*leading);
    for (std::vector<BlockClass>* const classes : {&own.classes, &own.lines})
      for (BlockClass& entry : *classes)
        if (const Paint* const paint = paint_on_board(entry.label); paint != nullptr) entry.paint = paint;
    list_ = class_list(own, leading->figures.requested_bytes);
  }

  [[nodiscard]] const Paint* paint_on_board(const Label& label) const {
    const auto is_it = [&](const BlockClass& entry) {
      return entry.label.name == label.name && entry.label.place == label.place;
    };
    const auto& listed = colouring_.listed();
    const auto found = std::ranges::find_if(listed, is_it);
    return found == listed.end() ? nullptr : found->paint;
  }

  double draw_top(Page& page, const Story& story) {
    double y = draw_headline(page, story.headline);
    y = draw_answer(page, y, story.answer);
    y = draw_leading_rows(page, y + 4, list_);
    page.set_details(true);
    y = draw_facts(page, y, picture_.file, story.facts, story.alert) + 10;
    y = draw_figures(page, y, memory_figures(devices_)) + 8;
    y = draw_bars(page, y, device_bars()) + 6;
    for (const Failure& failure : failures_) {
      y = draw_heading(page, y,
                       fmt::format("What {} was asked for, and the room there was", name_of(*failure.device_state)));
      y = draw_bars(page, y, request_bars(failure.room)) + 8;
    }
    page.set_details(false);
    draw_narrow_head(page, y, {.headline = story.headline, .answer = story.answer, .users = &list_});
    return y;
  }

  void find_failure(const DeviceState& device_state) {
    if (device_state.moment.kind != MomentKind::oom || failures_.size() == kMostFailures) return;
    const EventsAround& around = device_state.around;
    const std::int64_t offset = device_state.moment.event.number() - around.first_event.number();
    if (offset < 0 || offset >= static_cast<std::int64_t>(around.events.size())) return;
    const Event& event = around.events[static_cast<std::size_t>(offset)];
    if (event.action != Action::oom) return;
    Failure failure{&device_state, {}};
    failure.room.request = request_of(event, device_state.moment.event);
    failure.room.ledger = memory_ledger(picture_.state, device_state.device, failure.room.request, {});
    failures_.push_back(std::move(failure));
  }

  [[nodiscard]] static std::string name_of(const DeviceState& device_state) { return device_name(device_state); }

  [[nodiscard]] bool lacks_kinds() const {
    const auto is_told = [](const BlockClass& line) { return !line.kinds.empty(); };
    return !colouring_.lines.empty() && std::ranges::none_of(colouring_.lines, is_told);
  }

  [[nodiscard]] std::optional<FailedRequest> failed_request() const {
    if (failures_.empty()) return std::nullopt;
    const Failure& failure = failures_.front();
    return FailedRequest{*failure.device_state, failure.room.request->bytes, failure.room.ledger.largest_hole_bytes};
  }

  [[nodiscard]] std::vector<Bar> device_bars() const {
    std::vector<Bar> bars;
    for (const DeviceState* const device_state : leading_first(devices_))
      bars.push_back({devices_.size() == 1 ? "" : name_of(*device_state), bar_parts(device_state->figures),
                      devices_.size() == 1 ? "" : use_text(device_state->figures)});
    return bars;
  }

  [[nodiscard]] std::string event_text(EventIndex index, const Event& event) {
    const FrameTable& frames = picture_.state.frames();
    const std::string_view action =
        event.action == Action::other ? frames.text(event.action_text) : action_name(event.action);
    const std::string place = event.action == Action::oom ? "" : format_address(event.address);
    const NodeKey key = lines_.line_of(event.stack);
    const std::string line = is_frame(key) ? node_label(frames, key) : "";
    return fmt::format("{:>9}  {:<14}  {:<14}  {:>10}  {}", format_count(index.value()), action, place,
                       format_bytes(event.size_bytes), line);
  }

  double draw_events(Page& page, double y, const DeviceState& device_state) {
    const EventsAround& around = device_state.around;
    if (around.events.empty()) return y;
    add_rule(page.below_graph(), y);
    y = draw_heading(page, y + 12,
                     fmt::format("{} {}: the events around", name_of(device_state), moment_text(device_state)));
    XmlElement parent = page.add_section(y, "events");
    for (std::size_t i = 0; i < around.events.size(); ++i) {
      const EventIndex index(around.first_event.value() + i);
      const std::string text = event_text(index, around.events[i]);
      XmlElement row =
          add_text(parent, kMargin, y + 13, index == device_state.moment.event ? "mono-small strong" : "mono-small",
                   (index == device_state.moment.event ? "▸" : " ") + cut_end(text, kEventColumns));
      row.set("xml:space", "preserve");
      y += 18;
    }
    return y + 8;
  }

  const StatePicture& picture_;
  std::vector<CodeOrigin> origins_;
  UserLineFinder lines_;
  Pins pins_;
  Colouring colouring_;
  RankedList list_;
  std::span<const DeviceState> devices_;
  std::vector<Failure> failures_;
};

} // namespace
} // namespace render

std::string state_svg(const StatePicture& picture, const SvgOptions& options) {
  render::State state(picture, {options.color.value_or(ColorBy::line), options.hued_lines});
  for (render::BoardDetail detail;; detail = render::coarser(detail, state.reserved_bytes())) {
    std::string svg = state.draw(options, detail);
    if (svg.size() <= options.max_bytes || detail.most_segments <= 1) return svg;
  }
}

} // namespace memviz
