#include "page/header.hpp"
#include "page/leading_rows.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/ranked_list.hpp"
#include "pictures/explain_parts.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/svg.hpp"
#include "memviz/warnings.hpp"
#include "story/explain_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace render {
namespace {

constexpr std::size_t kMostExplained = 8;
constexpr std::size_t kMostRows = 6;
constexpr double kHalf = kContentWidth / 2 - 16;

RankedList lines_list(const HolderTable& table, const FrameTable& frames, const std::vector<CodeOrigin>& origins) {
  return holders_list(table, {line_labels(frames, keys_of(table)),
                              [&](std::size_t i) { return line_title(frames, origins, table.rows[i]); },
                              [&](const HolderRow& row) -> const Paint& { return key_paint(origins, row.key); }});
}

RankedList users_list(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                      const DeviceExplanation& device) {
  const HolderTableWords words{.heading = "Who holds it, by your own line of code", .has_rest_bytes = false};
  return lines_list(holder_table(device.users, device.device_state.figures.requested_bytes, words, {.most = kMostRows}),
                    frames, origins);
}

/// Returns the list of what pins memory, if it is worth showing, else of what was reserved last.
RankedList second_list(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                       const DeviceExplanation& device) {
  if (device.pins.held_bytes > device.ledger.reserved_bytes / 100) {
    HolderTable table = pins_table(device.pins, "What keeps free memory from being returned", kMostRows);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      table.rows[i].note = format_bytes(device.pins.lines[i].active.bytes) + " itself";
    return lines_list(table, frames, origins);
  }
  // Half of the page is wide enough: the figure is not included.
  const std::string heading =
      device.growth.low_event.is_none() ? "Reserved since the first event, by line" : "Reserved last, by line";
  HolderTable table = holder_table(device.growth.reserving, device.growth.reserved_bytes,
                                   {.heading = heading, .noun = "segment", .nothing = "", .has_rest_bytes = false},
                                   {.most = kMostRows});
  table.rest += fmt::format("{}{} in all{}", table.rest.empty() ? "" : "; ", format_bytes(device.growth.reserved_bytes),
                            returned_text(device));
  return lines_list(table, frames, origins);
}

double draw_lists(Page& page, double y, const ExplainPicture& picture, const std::vector<CodeOrigin>& origins,
                  const DeviceExplanation& device) {
  const FrameTable& frames = picture.state.frames();
  RankedList users = users_list(frames, origins, device);
  RankedList second = second_list(frames, origins, device);
  if (second.rows.empty()) return draw_ranked_list(page, y, users);
  users.width = kHalf;
  second.width = kHalf;
  second.x = kMargin + kContentWidth - kHalf;
  const double left_end = draw_ranked_list(page, y, users);
  return std::max(left_end, draw_ranked_list(page, y, second));
}

/// The explained devices, the one that the picture is about first.
using Explained = std::vector<const DeviceExplanation*>;

double draw_main_device(Page& page, double y, const Explained& devices, const ExplanationText& words) {
  const DeviceExplanation& device = *devices.front();
  y = draw_sentences(page, y, "What would help", words.helps, "strong plus");
  if (device.request) {
    y = draw_heading(page, y, "The request, and the free memory");
    y = draw_bars(page, y, request_bars(device)) + 12;
  }
  if (device.ledger.reserved_bytes > 0) {
    y = draw_heading(page, y, "Where the memory was");
    y = draw_bars(page, y, {ledger_bar(device.ledger)}) + 2;
    y = draw_parts_table(page, y, device.ledger) + 10;
  }
  if (const std::vector<Bar> bars = device_bars(devices); bars.size() > 1) {
    y = draw_heading(page, y, "What each device held, each at its own moment");
    y = draw_bars(page, y, bars) + 12;
  }
  const char* const heading =
      device.request ? "What would not have helped, or is unknown" : "What would hardly help, or is unknown";
  return draw_sentences(page, y, heading, words.does_not_help, "muted");
}

double draw_other_devices(Page& page, double y, const ExplainPicture& picture, const Explained& devices) {
  const std::size_t shown = std::min(kMostExplained, devices.size());
  for (std::size_t i = 1; i < shown; ++i) {
    // A bar shows what each of the others held.
    if (!devices[i]->request && devices[i]->ledger.reserved_bytes > 0) continue;
    const ExplanationText words = in_words(picture.state, *devices[i]);
    y = draw_notes(page, y, {words.headline + " " + words.verdict});
  }
  if (devices.size() > shown) y = draw_notes(page, y, {"and " + format_counted(devices.size() - shown, "more device")});
  if (const std::string unused = unused_text(picture.devices); !unused.empty()) y = draw_notes(page, y, {unused});
  return y;
}

std::string draw(const ExplainPicture& picture, const SvgOptions& options) {
  if (picture.devices.empty()) {
    Page page(options, "memviz: nothing to explain");
    double y = draw_headline(page, "Nothing to explain");
    y = draw_facts(page, y, picture.file, {"no segments and no events on any device"}) + 8;
    page.begin_below_graph();
    return page.finish(draw_signature(page, draw_warnings(page, y, warnings_and_losses(picture.state))));
  }
  const std::vector<CodeOrigin> origins = origins_of(picture.state.frames());
  const Explained devices = shown_devices(picture.devices);
  const DeviceExplanation& device = *devices.front();
  const ExplanationText words = in_words(picture.state, device);
  Page page(options, fmt::format("{}: {} {}", picture.file, words.headline, words.verdict));
  page.svg().child("style").cdata(paints_css(room_paints()));
  double y = draw_headline(page, words.title);
  y = draw_answer(page, y, words.verdict);
  const RankedList users = users_list(picture.state.frames(), origins, device);
  y = draw_leading_rows(page, y + 4, users);
  page.set_details(true);
  y = draw_facts(page, y, picture.file, facts_of(picture.state, device),
                 rehearsal_alert(picture.state.recording->origin.rehearsal)) +
      12;
  page.set_details(false);
  y = draw_main_device(page, y, devices, words);
  draw_narrow_head(page, y,
                   {.headline = words.title, .answer = words.verdict, .users = &users, .sentences = words.helps});
  page.begin_below_graph();
  add_rule(page.below_graph(), y);
  y = draw_lists(page, y + 12, picture, origins, device);
  add_rule(page.below_graph(), y + 4);
  y = draw_warnings(page, y + 14, warnings_and_losses(picture.state));
  y = draw_notes(page, y, devices.size() > 1 ? reasons_beside_devices(words) : words.reasons);
  // The last answer says how well the model follows the recording.
  if (words.answers.size() > device.what_ifs.size()) y = draw_notes(page, y, {words.answers.back()});
  y = draw_other_devices(page, y, picture, devices);
  return page.finish(draw_signature(page, y));
}

} // namespace
} // namespace render

std::string explain_svg(const ExplainPicture& picture, const SvgOptions& options) {
  return render::draw(picture, options);
}

} // namespace memviz
