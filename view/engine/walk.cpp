#include "engine/walk.hpp"

#include "analysis/timeline/timeline_ranges.hpp"
#include "analysis/timeline/timeline_slices.hpp"
#include "page/hues.hpp"
#include "page/kind_paints.hpp"
#include "page/line_hues.hpp"
#include "page/naming.hpp"
#include "story/short_label.hpp"
#include "timeline/timeline_palette.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

namespace memviz::view {

namespace {

LinesOfLives found_lines(const Scrub& scrub, const std::function<NodeKey(const Life&)>& line_of) {
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
  return {std::move(label), std::string(paint.light_fill), std::string(paint.dark_fill), std::string(paint.name)};
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
  Classes classes;
  std::ranges::copy_if(keys, std::back_inserter(classes.hued), render::has_hue);
  const render::LineHues hues(state.frames(), classes.hued);
  std::vector<std::uint8_t> class_of(lines.keys.size(), static_cast<std::uint8_t>(ranked.size()));
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const render::Paint* const hue = hues.of(keys[i]);
    classes.names.push_back(named(texts[i], hue == nullptr ? render::paint::kNoStack : *hue));
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

/// The origins in the order of pictures, then memory without a stack.
Classes by_origin(const MemoryState& state, const LinesOfLives& lines) {
  Classes classes;
  for (const CodeOrigin origin : render::kOrigins)
    classes.names.push_back(named(std::string(render::origin_name(origin)), render::paint_of(origin)));
  const auto none = static_cast<std::uint8_t>(classes.names.size());
  classes.names.push_back(named("no stack", render::paint::kNoStack));
  const FrameTable& frames = state.frames();
  std::vector<std::uint8_t> of_line;
  for (const NodeKey& line : lines.keys) {
    const auto* const frame = std::get_if<FrameId>(&line);
    const auto at = frame == nullptr ? render::kOrigins.end()
                                     : std::ranges::find(render::kOrigins, origin_of(frames.filename(*frame)));
    of_line.push_back(at == render::kOrigins.end() ? none : static_cast<std::uint8_t>(at - render::kOrigins.begin()));
  }
  for (const std::uint32_t line : lines.of_life)
    classes.of_life.push_back(of_line[line]);
  return classes;
}

std::uint64_t not_negative(std::int64_t bytes) {
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

} // namespace

Walk::Walk(const MemoryState& state, const LifeLines& lines, const DeviceRecord& record, const EndKeepers* keepers)
    : record_(record), scrub_(record), live_(live_bytes_by_state(record)),
      by_code_(found_lines(scrub_, [&](const Life& life) { return lines.line_of(record.device, life); })),
      kinds_(by_kind(scrub_)), origins_(by_origin(state, by_code_)) {
  lines_ = by_line(state, by_code_, most_bytes(by_code_, record, scrub_), "lines");
  if (keepers == nullptr) return;
  const LinesOfLives by_keeper = found_lines(
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

const BandOrder& Walk::band_order(std::string_view by) {
  const Classes& classes = this->classes(by);
  const std::string key(&classes == &lines_ ? "line" : by);
  if (const auto known = orders_.find(key); known != orders_.end()) return known->second;
  BandOrder order; // kept once it is complete: memory may run out on the way
  const auto recorded = static_cast<std::ptrdiff_t>(record_.lives.size());
  order.index_at.resize(scrub_.size());
  std::iota(order.index_at.begin(), order.index_at.end(), 0U);
  std::rotate(order.index_at.begin(), order.index_at.begin() + recorded, order.index_at.end());
  if (&classes != &lines_)
    std::stable_sort(order.index_at.begin(), order.index_at.end(), [&](std::uint32_t left, std::uint32_t right) {
      return classes.of_life[left] < classes.of_life[right];
    });
  order.rank_of.resize(scrub_.size());
  order.is_odd.resize(scrub_.size());
  std::vector<bool> is_odd(classes.names.size());
  for (std::uint32_t rank = 0; rank < scrub_.size(); ++rank) {
    const std::uint32_t index = order.index_at[rank];
    const std::uint8_t own = classes.of_life[index];
    order.rank_of[index] = rank;
    order.is_odd[index] = is_odd[own];
    is_odd[own] = !is_odd[own];
  }
  return orders_.emplace(key, std::move(order)).first->second;
}

std::vector<std::uint32_t> column_states(const Walk& walk, Window window, TimelineAxis axis, std::size_t columns) {
  const AxisParts column_of(walk.record(), axis, window, columns);
  std::vector<std::uint32_t> states;
  states.reserve(columns);
  for (std::uint32_t first = window.first; first <= window.last;) {
    const std::size_t column = column_of(first);
    std::uint32_t after = first + 1; // the first state of a later column
    for (std::uint32_t end = window.last + 1; after < end;) {
      const std::uint32_t middle = after + (end - after) / 2;
      if (column_of(middle) > column)
        end = middle;
      else
        after = middle + 1;
    }
    std::uint32_t highest = first;
    for (std::uint32_t state = first + 1; state < after; ++state)
      if (walk.live_bytes(state) > walk.live_bytes(highest)) highest = state;
    states.resize(column, states.empty() ? highest : states.back());
    states.push_back(highest);
    first = after;
  }
  states.resize(columns, states.back());
  return states;
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
  scrub.go(back);

  std::uint32_t before = window.first;
  double* at = out.data();
  for (const std::uint32_t state : column_states(walk, window, axis, columns)) {
    scrub.for_each_difference(before, state, [&](std::uint32_t index, bool begins) {
      std::uint64_t& own = bytes[classes.of_life[index]];
      own = begins ? own + scrub.life(index).size_bytes : own - scrub.life(index).size_bytes;
    });
    before = state;
    at[0] = state;
    at[1] = static_cast<double>(walk.live_bytes(state));
    at[2] = static_cast<double>(walk.reserved_bytes(state));
    std::copy(bytes.begin(), bytes.end(), at + 3);
    at += width;
  }
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
