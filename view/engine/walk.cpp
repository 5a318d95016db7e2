#include "engine/walk.hpp"

#include "analysis/timeline/timeline_ranges.hpp"
#include "analysis/timeline/timeline_slices.hpp"
#include "memviz/short_label.hpp"
#include "page/hues.hpp"
#include "page/kind_paints.hpp"
#include "page/naming.hpp"
#include "timeline/timeline_palette.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

namespace memviz::view {

namespace {

/// The line or the keeper of each allocation, as an index into `keys`.
struct LinesOfLives {
  std::vector<NodeKey> keys;
  std::vector<std::uint32_t> of_life;
};

LinesOfLives lines_of_lives(const Scrub& scrub, const std::function<NodeKey(const Life&)>& line_of) {
  LinesOfLives found;
  std::map<NodeKey, std::uint32_t> places;
  for (std::uint32_t index = 0; index < scrub.size(); ++index) {
    const NodeKey key = line_of(scrub.life(index));
    const auto [entry, is_new] = places.try_emplace(key, static_cast<std::uint32_t>(found.keys.size()));
    if (is_new) found.keys.push_back(key);
    found.of_life.push_back(entry->second);
  }
  return found;
}

/// Returns the most bytes that each line ever holds.
std::vector<std::uint64_t> most_bytes(const LinesOfLives& lines, const DeviceRecord& record, Scrub& scrub) {
  std::vector<std::uint64_t> now(lines.keys.size());
  scrub.go(0);
  scrub.for_each_live([&](std::uint32_t index) { now[lines.of_life[index]] += scrub.life(index).size_bytes; });
  std::vector<std::uint64_t> most = now;
  while (scrub.state() < record.events) {
    scrub.step();
    scrub.for_each_change([&](std::uint32_t index, bool begins) {
      std::uint64_t& bytes = now[lines.of_life[index]];
      bytes = begins ? bytes + scrub.life(index).size_bytes : bytes - scrub.life(index).size_bytes;
      most[lines.of_life[index]] = std::max(most[lines.of_life[index]], bytes);
    });
  }
  scrub.go(0);
  return most;
}

Classes::Name named(std::string label, const render::Paint& paint) {
  return {std::move(label), std::string(paint.light_fill), std::string(paint.dark_fill)};
}

/// As many lines as there are hues, those that ever hold most, then all others as one, "3 other lines".
Classes by_line(const MemoryState& state, const LinesOfLives& lines, const std::vector<std::uint64_t>& most,
                std::string_view word) {
  std::vector<std::uint32_t> ranked(lines.keys.size());
  std::iota(ranked.begin(), ranked.end(), 0U);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](std::uint32_t left, std::uint32_t right) { return most[left] > most[right]; });
  if (ranked.size() > render::hues().size()) ranked.resize(render::hues().size());

  std::vector<NodeKey> keys;
  for (const std::uint32_t line : ranked)
    keys.push_back(lines.keys[line]);
  std::vector<std::string> texts;
  for (const Label& label : line_labels(state.frames(), keys))
    texts.push_back(label.place.empty() ? label.name : label.name + ' ' + label.place);
  const std::vector<std::size_t> hues = render::choose_hues(texts);

  Classes classes;
  std::vector<std::uint8_t> class_of(lines.keys.size(), static_cast<std::uint8_t>(ranked.size()));
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool is_coloured = render::has_hue(keys[i]);
    classes.names.push_back(named(texts[i], is_coloured ? render::hues()[hues[i]] : render::paint::kNoStack));
    class_of[ranked[i]] = static_cast<std::uint8_t>(i);
  }
  if (ranked.size() < lines.keys.size())
    classes.names.push_back(
        named(fmt::format("{} other {}", lines.keys.size() - ranked.size(), word), render::paint::kOtherLines));
  for (const std::uint32_t line : lines.of_life)
    classes.of_life.push_back(class_of[line]);
  return classes;
}

Classes by_kind(const Scrub& scrub) {
  Classes classes;
  for (const MemoryKind kind : kKindLayers)
    classes.names.push_back(named(std::string(kind_label(kind)), render::kind_paint(kind)));
  for (std::uint32_t index = 0; index < scrub.size(); ++index)
    classes.of_life.push_back(static_cast<std::uint8_t>(kind_layer(scrub.kind(index).kind)));
  return classes;
}

std::uint64_t not_negative(std::int64_t bytes) {
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

} // namespace

Walk::Walk(const MemoryState& state, const LifeLines& lines, const DeviceRecord& record, const EndKeepers* keepers)
    : record_(record), scrub_(record), live_(live_bytes_by_state(record)), kinds_(by_kind(scrub_)) {
  const LinesOfLives by_code =
      lines_of_lives(scrub_, [&](const Life& life) { return lines.line_of(record.device, life); });
  lines_ = by_line(state, by_code, most_bytes(by_code, record, scrub_), "lines");
  if (keepers == nullptr) return;
  const LinesOfLives by_keeper = lines_of_lives(
      scrub_, [&](const Life& life) { return keepers->key_at(life.end == kForever, record.device, life.address); });
  keepers_ = by_line(state, by_keeper, most_bytes(by_keeper, record, scrub_), "variables");
}

std::uint64_t Walk::live_bytes(std::uint32_t state) const {
  return not_negative(live_[state]);
}

std::uint64_t Walk::reserved_bytes(std::uint32_t state) const {
  const auto after = std::partition_point(record_.reserved.begin(), record_.reserved.end(),
                                          [&](const Step& step) { return step.state <= state; });
  return after == record_.reserved.begin() ? 0 : (after - 1)->bytes;
}

std::vector<double> curve(Walk& walk, std::string_view by, Window window, TimelineAxis axis, std::size_t columns) {
  const Classes& classes = walk.classes(by);
  const std::size_t width = 3 + classes.names.size();
  std::vector<double> out(columns * width);
  std::vector<std::uint64_t> bytes(classes.names.size());
  Scrub& scrub = walk.scrub();
  const std::uint32_t back = scrub.state();
  scrub.go(window.first);
  scrub.for_each_live([&](std::uint32_t index) { bytes[classes.of_life[index]] += scrub.life(index).size_bytes; });

  const AxisParts column_of(walk.record(), axis, window, columns);
  std::size_t filled = 0;
  std::uint64_t highest = 0;
  const auto write = [&](std::size_t column, std::uint32_t state) {
    double* const at = out.data() + column * width;
    at[0] = state;
    at[1] = static_cast<double>(walk.live_bytes(state));
    at[2] = static_cast<double>(walk.reserved_bytes(state));
    std::copy(bytes.begin(), bytes.end(), at + 3);
  };
  for (std::uint32_t state = window.first;; ++state) {
    if (state > window.first) {
      scrub.step();
      scrub.for_each_change([&](std::uint32_t index, bool begins) {
        std::uint64_t& own = bytes[classes.of_life[index]];
        own = begins ? own + scrub.life(index).size_bytes : own - scrub.life(index).size_bytes;
      });
    }
    const std::size_t column = column_of(state);
    for (; filled < column; ++filled)
      std::copy_n(out.data() + (filled == 0 ? 0 : filled - 1) * width, width, out.data() + filled * width);
    const bool is_first = filled == column;
    if (is_first || walk.live_bytes(state) > highest) {
      write(column, state);
      highest = walk.live_bytes(state);
      filled = column + 1;
    }
    if (state == window.last) break;
  }
  for (; filled < columns; ++filled)
    std::copy_n(out.data() + (filled - 1) * width, width, out.data() + filled * width);
  scrub.go(back);
  return out;
}

Cells cells(Walk& walk, std::string_view by, std::size_t count, double bytes_per_cell,
            const std::function<bool(std::uint32_t)>& is_found) {
  const Classes& classes = walk.classes(by);
  const Scrub& scrub = walk.scrub();
  std::vector<double> next(classes.names.size() + 1);
  scrub.for_each_live([&](std::uint32_t index) {
    next[std::size_t{classes.of_life[index]} + 1] += static_cast<double>(scrub.life(index).size_bytes);
  });
  std::partial_sum(next.begin(), next.end(), next.begin());

  Cells out{std::vector<std::uint8_t>(count), std::vector<std::uint32_t>(count, Cells::kNone)};
  std::vector<bool> is_odd(classes.names.size());
  scrub.for_each_live([&](std::uint32_t index) {
    const std::uint8_t own = classes.of_life[index];
    const double begin = next[own] / bytes_per_cell;
    next[own] += static_cast<double>(scrub.life(index).size_bytes);
    if (begin >= static_cast<double>(count)) return;
    const auto first = static_cast<std::size_t>(begin);
    const auto last =
        static_cast<std::size_t>(std::min(static_cast<double>(count), std::ceil(next[own] / bytes_per_cell)));
    const auto value = static_cast<std::uint8_t>(1 + 4 * own + (is_odd[own] ? 1 : 0) + (is_found(index) ? 2 : 0));
    is_odd[own] = !is_odd[own];
    for (std::size_t cell = first; cell < last; ++cell) {
      if (cell == first && out.lives[cell] != Cells::kNone && begin - static_cast<double>(first) > 0.5) continue;
      out.bytes[cell] = value;
      out.lives[cell] = index;
    }
  });
  return out;
}

} // namespace memviz::view
