#include "pictures/explain_parts.hpp"

#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/notes.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/explain_words.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace memviz::render {
namespace {

constexpr double kBulletColumn = 16;
constexpr double kFontSize = 13;
constexpr std::size_t kLineColumns = 60;
constexpr std::size_t kMostBars = 8;

const Paint& paint_of(const LedgerPart& part) {
  struct Entry {
    std::string_view key;
    const Paint* paint;
  };
  static constexpr Entry kEntries[] = {
      {"live_bytes", &paint::kRequested},
      {"rounding_bytes", &paint::kRounding},
      {"pending_free_bytes", &paint::kPending},
      {"hard_bytes", &paint::kHardFree},
      {"soft_bytes", &paint::kInactive},
      {"stream_bytes", &paint::kOtherStream},
      {"private_pool_bytes", &paint::kPrivatePool},
      {"other_size_bytes", &paint::kOtherSize},
      {"unplaced_bytes", &paint::kInactive},
      {"unaccounted_bytes", &paint::kUnaccounted},
      {"no_segment_bytes", &paint::kUnaccounted},
      {"device_free_bytes", &paint::kFree},
      {"outside_bytes", &paint::kSmaller},
  };
  for (const Entry& entry : kEntries)
    if (entry.key == part.key) return *entry.paint;
  return paint::kGroup;
}

/// The parts that are drawn, without the sums above and below them.
bool is_drawn(const LedgerPart& part) {
  return part.bytes > 0 && part.key != "reserved_bytes" && part.key != "capacity_bytes";
}

double draw_line(Page& page, double y, std::string_view bullet_class, const std::string& text) {
  XmlElement section = page.add_section(y, "words");
  add_text(section, kMargin, y + 13, bullet_class, "•").set("data-lead", "margin");
  const Paragraph paragraph{.css_class = "",
                            .font_size = kFontSize,
                            .line_height = 18,
                            .width = kContentWidth - kBulletColumn,
                            .indent = kBulletColumn};
  return draw_paragraph(section, y + 13, paragraph, text) - 13 + 2;
}

} // namespace

std::vector<Bar> request_bars(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  std::vector<Bar> bars;
  const auto add = [&](const std::string& name, const Paint& paint, std::uint64_t bytes) {
    bars.push_back({name, {{&paint, name, bytes}}, format_bytes(bytes)});
  };
  add("asked for", paint::kAdded, device.request->bytes);
  if (takes_more(device)) add("taken at once for it", paint::kAdded, device.judgement.needed_bytes);
  add("largest free piece for it", paint::kHardFree, ledger.largest_hole_bytes);
  if (ledger.largest_any_hole_bytes > ledger.largest_hole_bytes)
    add("largest free piece anywhere", paint::kOtherStream, ledger.largest_any_hole_bytes);
  if (ledger.device_free_bytes) add("free on the device", paint::kFree, *ledger.device_free_bytes);
  return bars;
}

std::vector<Bar> device_bars(const std::vector<const DeviceExplanation*>& devices) {
  std::vector<const DeviceExplanation*> ordered;
  std::ranges::copy_if(devices, std::back_inserter(ordered),
                       [](const DeviceExplanation* device) { return device->ledger.reserved_bytes > 0; });
  if (ordered.empty()) return {};
  const auto reserved = [](const DeviceExplanation* device) { return device->ledger.reserved_bytes; };
  std::ranges::stable_sort(ordered.begin() + 1, ordered.end(), std::ranges::greater(), reserved);
  ordered.resize(std::min(kMostBars, ordered.size()));
  std::ranges::sort(ordered.begin() + 1, ordered.end(), std::less(),
                    [](const DeviceExplanation* device) { return device->device_state.device; });
  std::vector<Bar> bars;
  for (const DeviceExplanation* device : ordered)
    bars.push_back(
        {device_heading(device->device_state), bar_parts(device->device_state.figures),
         fmt::format("{}, {}", format_bytes(device->ledger.reserved_bytes), moment_text(device->device_state))});
  return bars;
}

Bar ledger_bar(const MemoryLedger& ledger) {
  Bar bar;
  for (const LedgerPart& part : ledger_parts(ledger))
    if (is_drawn(part)) bar.parts.push_back({&paint_of(part), std::string(part.name), part.bytes});
  return bar;
}

double draw_parts_table(Page& page, double y, const MemoryLedger& ledger) {
  std::vector<LegendEntry> entries;
  for (const LedgerPart& part : ledger_parts(ledger)) {
    if (!is_drawn(part)) continue;
    const std::string share =
        part.is_inside ? fmt::format(" ({})", format_percent(part.bytes, ledger.reserved_bytes)) : "";
    entries.push_back({&paint_of(part), fmt::format("{} {}{}", format_bytes(part.bytes), part.name, share)});
  }
  return draw_legend(page, y, entries, "") - 6;
}

double draw_sentences(Page& page, double y, const std::string& heading, const std::vector<std::string>& sentences,
                      std::string_view bullet_class) {
  if (sentences.empty()) return y;
  y = draw_heading(page, y, heading);
  for (const std::string& sentence : sentences)
    y = draw_line(page, y, bullet_class, sentence);
  return y + 10;
}

std::vector<std::string> facts_of(const MemoryState& state, const DeviceExplanation& device) {
  std::vector<std::string> facts{moment_text(device.device_state)};
  if (device.request)
    facts.push_back("asked for by " + cut_end(node_label(state.frames(), device.asking_line), kLineColumns));
  facts.push_back(format_counted(device.ledger.segments, "segment"));
  facts.push_back(format_bytes(device.ledger.reserved_bytes) + " reserved");
  if (!state.recording->origin.generation.empty()) facts.push_back(state.recording->origin.generation);
  return facts;
}

} // namespace memviz::render
