#include "timeline/timeline_names.hpp"

#include "page/kind_paints.hpp"
#include "page/ranked_list.hpp"
#include "timeline/timeline_charts.hpp"

#include "memviz/error.hpp"
#include "memviz/flame.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

namespace memviz::render {
namespace {

std::string text_of(const Label& label) {
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

} // namespace

LineNames::LineNames(const FrameTable& frames, const LifeLines& lines, const std::vector<DrawnStack>& charts,
                     ColorBy color)
    : lines_(lines), labels_(frames), frames_(frames) {
  for (const DrawnStack& drawn : charts) {
    const std::vector<Holder>& holders = drawn.chart.holders;
    for (std::size_t i = 0; i < std::min(holders.size(), kRankedRows); ++i)
      add(holders[i].key);
  }
  for (const DrawnStack& drawn : charts) {
    for (const Strip& strip : drawn.chart.strips)
      add(strip.key);
    for (const Band& band : drawn.chart.bands.bands)
      add(lines_.line_of(drawn.chart.device.record.device, band.life));
  }
  if (color == ColorBy::line) add_hues(charts);
  if (color == ColorBy::origin) add_origins();
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
  if (std::holds_alternative<RootKey>(line)) name.paint = &paint::kOtherLines;
  if (const auto* kind = std::get_if<MemoryKind>(&line)) name.paint = &kind_paint(*kind);
  ranked_.push_back(line);
}

NodeKey LineNames::key_of(const Chart& chart, std::uint32_t part) const {
  if (part < chart.strips.size()) return chart.strips[part].key;
  return lines_.line_of(chart.device.record.device, chart.bands.bands[part - chart.strips.size()].life);
}

void LineNames::add_hues(const std::vector<DrawnStack>& charts) {
  std::vector<HueWish> wishes;
  std::vector<std::size_t> wish_of(ranked_.size(), ranked_.size());
  for (std::size_t i = 0; i < ranked_.size(); ++i) {
    if (!is_frame(ranked_[i])) continue;
    wish_of[i] = wishes.size();
    wishes.push_back({names_.at(ranked_[i]).text, {}});
  }
  for (const DrawnStack& drawn : charts) {
    for (const auto& [lower, upper] : drawn.touches) {
      const std::size_t one = wish_of[of(key_of(drawn.chart, lower)).index];
      const std::size_t other = wish_of[of(key_of(drawn.chart, upper)).index];
      if (one == other || std::max(one, other) >= wishes.size()) continue;
      wishes[std::max(one, other)].neighbours.push_back(std::min(one, other));
    }
  }
  const std::vector<std::size_t> chosen = choose_hues(wishes);
  for (std::size_t i = 0; i < ranked_.size(); ++i)
    if (wish_of[i] < wishes.size()) names_.at(ranked_[i]).paint = &hues()[chosen[wish_of[i]]];
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
  return std::any_of(names_.begin(), names_.end(), [&](const auto& entry) { return entry.second.paint == &paint; });
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
