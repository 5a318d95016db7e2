#include "timeline/timeline_names.hpp"

#include "memviz/flame.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

constexpr std::size_t kNamedLines = 10;

std::string text_of(const Label& label) {
  return label.place.empty() ? label.name : label.name + " " + label.place;
}

} // namespace

LineNames::LineNames(const FrameTable& frames, const std::vector<Holder>& holders) : frames_(frames), finder_(frames) {
  std::size_t named = 0;
  for (const Holder& holder : holders) {
    if (holder.key.kind != NodeKind::frame) continue;
    if (named++ == kNamedLines) break;
    hues_.name(text_of(key_label(frames, holder.key)));
  }
}

LineName LineNames::of(const NodeKey& key) const {
  LineName name{key_label(frames_, key), {}, nullptr};
  name.text = text_of(name.label);
  name.paint = key.kind == NodeKind::frame ? &hues_.of(name.text) : &paint::kNoStack;
  return name;
}

LineName LineNames::of_place(const std::string& place) const {
  return {{.name = place}, place, &hues_.of(place)};
}

const LineName& LineNames::of(StackId stack) const {
  const auto known = by_stack_.find(stack.value);
  if (known != by_stack_.end()) return known->second;
  return by_stack_.emplace(stack.value, of(finder_.line_of(stack))).first->second;
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
  text += fmt::format(" ({}", count_of(life.end - life.begin, "event"));
  if (!record.times_us().empty()) {
    const auto lived = static_cast<std::uint64_t>(record.times_us()[life.end - 1]) -
                       static_cast<std::uint64_t>(record.times_us()[life.begin - 1]);
    text += ", " + format_duration(lived);
  }
  return text + ")";
}

std::string both_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return format_bytes(bytes);
  return fmt::format("{} ({} bytes)", format_bytes(bytes), format_count(bytes));
}

} // namespace memviz::render
