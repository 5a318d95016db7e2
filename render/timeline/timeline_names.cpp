#include "timeline/timeline_names.hpp"

#include "page/kind_paints.hpp"
#include "page/leading_rows.hpp"
#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"

#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <variant>

namespace memviz::render {
namespace {

std::string text_of(const Label& label) {
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

} // namespace

double area_of(const TimelineShape& shape) {
  double area = 0;
  for (std::size_t i = 0; i < shape.steps.size(); ++i) {
    const std::uint32_t end = i + 1 < shape.steps.size() ? shape.steps[i + 1].first : shape.end;
    area += static_cast<double>(shape.steps[i].bottom - shape.steps[i].top) * (end - shape.steps[i].first);
  }
  return area;
}

std::vector<std::pair<NodeKey, double>> lines_by_area(const std::vector<DrawnStack>& charts, const LifeLines& lines) {
  std::map<NodeKey, double> areas;
  for (const auto& [chart, shapes] : charts) {
    for (std::size_t strip = 0; strip < chart.strips.size(); ++strip)
      areas[chart.strips[strip].key] += area_of(shapes.strips[strip]);
    for (std::size_t band = 0; band < chart.bands.bands.size(); ++band)
      areas[lines.line_of(chart.device.record.device, chart.bands.bands[band].life)] += area_of(shapes.bands[band]);
  }
  std::vector<std::pair<NodeKey, double>> largest(areas.begin(), areas.end());
  std::ranges::stable_sort(largest, std::greater(), &std::pair<NodeKey, double>::second);
  return largest;
}

LineNames::LineNames(const FrameTable& frames, const LifeLines& lines, const std::vector<DrawnStack>& charts,
                     const ColourChoice& choice)
    : lines_(lines), labels_(frames), frames_(frames) {
  for (const DrawnStack& drawn : charts) {
    const std::vector<UserLine>& holders = drawn.chart.listed();
    for (std::size_t i = 0; i < std::min(holders.size(), kRankedRows); ++i)
      add(holders[i].key);
  }
  for (const DrawnStack& drawn : charts) {
    for (const Strip& strip : drawn.chart.strips)
      add(strip.key);
    for (const Band& band : drawn.chart.bands.bands)
      add(lines_.line_of(drawn.chart.device.record.device, band.life));
  }
  if (choice.by == ColorBy::line || choice.by == ColorBy::keeper)
    add_hues(choice.hued_lines.empty() ? own_hues(charts) : LineHues(frames, choice.hued_lines));
  if (choice.by == ColorBy::origin) add_origins();
}

Label LineNames::label_of(const NodeKey& line) {
  if (const auto* frame = std::get_if<FrameId>(&line)) return labels_.of(*frame);
  if (std::holds_alternative<RootKey>(line)) return {.name = "other lines", .brief = "other"};
  return key_label(frames_, line);
}

void LineNames::add(const NodeKey& line) {
  const auto [entry, is_new] = names_.try_emplace(line);
  if (!is_new) return;
  LineName& name = entry->second;
  name.label = label_of(line);
  name.text = text_of(name.label);
  name.index = ranked_.size();
  const auto* const step = std::get_if<KeeperStep>(&line);
  const bool is_freed = step != nullptr && step->part == KeeperPart::freed;
  if (is_freed || std::holds_alternative<RootKey>(line)) name.paint = &paint::kOtherLines;
  if (const auto* kind = std::get_if<MemoryKind>(&line)) name.paint = &kind_paint(*kind);
  ranked_.push_back(line);
}

LineHues LineNames::own_hues(const std::vector<DrawnStack>& charts) const {
  std::vector<NodeKey> owners;
  const auto give = [&](const NodeKey& line) {
    const bool is_new = std::ranges::find(owners, line) == owners.end();
    if (has_hue(line) && is_new && owners.size() < hues().size()) owners.push_back(line);
  };
  const std::vector<UserLine>& holders = charts.front().chart.listed();
  for (std::size_t i = 0; i < std::min(holders.size(), kLeadingRows); ++i)
    give(holders[i].key);
  for (const auto& [line, area] : lines_by_area(charts, lines_))
    give(line);
  std::vector<std::string> texts;
  for (const NodeKey& line : owners)
    texts.push_back(names_.at(line).text);
  return {owners, std::move(texts)};
}

void LineNames::add_hues(const LineHues& hues) {
  for (const NodeKey& line : ranked_)
    if (has_hue(line)) names_.at(line).paint = hues.of(line) == nullptr ? &paint::kOtherLines : hues.of(line);
}

void LineNames::add_origins() {
  std::map<StringId, const Paint*> by_file;
  for (const NodeKey& line : ranked_) {
    const auto* frame = std::get_if<FrameId>(&line);
    if (frame == nullptr) continue;
    const Paint*& paint = by_file[frames_.frame(*frame).filename];
    if (paint == nullptr) paint = &paint_of(origin_of(frames_.filename(*frame)));
    names_.at(line).paint = paint;
  }
}

const LineName& LineNames::of(const NodeKey& line) const {
  const auto name = names_.find(line);
  if (name == names_.end()) throw Error("a line of a timeline has no name");
  return name->second;
}

bool LineNames::has_paint(const Paint& paint) const {
  return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second.paint == &paint; });
}

std::vector<Label> LineNames::row_labels(const std::vector<NodeKey>& lines) const {
  return line_labels(frames_, lines);
}

std::string address_name(const Band& band, bool is_segment) {
  return fmt::format("{}{:x}_{}", is_segment ? 's' : 'b', band.life.address, band.earlier_uses);
}

std::string lifetime_text(const DeviceRecord& record, const Life& life) {
  const bool has_begin = life.begin > 0;
  const bool has_end = life.end != kForever;
  const std::string begin = has_begin ? "event " + format_count(life.begin - 1) : "before the first event";
  if (!has_end) return fmt::format("from {} to the end", begin);
  std::string text = fmt::format("from {} to event {}", begin, format_count(life.end - 1));
  if (!has_begin) return text;
  text += fmt::format(" ({}", format_counted(life.end - life.begin, "event"));
  if (!record.times_us().empty()) {
    const auto lived = static_cast<std::uint64_t>(record.times_us()[life.end - 1]) -
                       static_cast<std::uint64_t>(record.times_us()[life.begin - 1]);
    text += ", " + format_duration(lived);
  }
  return text + ")";
}

} // namespace memviz::render
