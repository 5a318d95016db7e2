#include "engine/found.hpp"

#include "analysis/timeline/timeline_slices.hpp"

#include <algorithm>
#include <utility>

namespace memviz::view {

namespace {

constexpr std::uint32_t kMostOpenSpans = 64; ///< spans that are open at the same time

/// One pass over a device.
class Finder {
public:
  Finder(const PageFile& file, const Walk& walk)
      : search_(file.search), recording_(file.recording()), record_(walk.record()), scrub_(walk.scrub()),
        events_(recording_.events_of(record_.device)) {
    found_.lives.resize(scrub_.size());
  }

  Found found() {
    if (search_.name()) {
      find_named();
    } else {
      find_events();
      find_lives();
      find_annotations();
    }
    std::sort(found_.states.begin(), found_.states.end());
    found_.states.erase(std::unique(found_.states.begin(), found_.states.end()), found_.states.end());
    sum_up();
    return std::move(found_);
  }

private:
  void find_named() {
    const auto index = search_.named(scrub_);
    if (!index) return;
    const Life& life = scrub_.life(*index);
    found_.lives[*index] = true;
    if (life.begin == 0) found_.states.push_back(0);
    const std::uint32_t last = std::min(life.end == kForever ? record_.events : life.end, record_.events);
    for (std::uint32_t event = life.begin == 0 ? 0 : life.begin - 1; event < last; ++event)
      if (events_.address(event) == life.address && events_.action(event) != Action::oom)
        found_.states.push_back(event + 1);
  }

  void find_events() {
    for (std::uint32_t event = 0; event < record_.events; ++event)
      if (search_.has(events_, event)) found_.states.push_back(event + 1);
  }

  void find_lives() {
    for (std::uint32_t index = 0; index < scrub_.size(); ++index) {
      const Life& life = scrub_.life(index);
      const bool is_within = search_.is_within(life.address, life.size_bytes);
      const bool is_requested = life.begin > 0 ? search_.has(events_, life.begin - 1) : search_.has(life.stack);
      if (is_within || is_requested || search_.has_address(life.address)) add(index, is_within);
    }
  }

  /// Texts that later events attach to allocations, and the program's spans.
  void find_annotations() {
    if (record_.annotations)
      for (const LifeAnnotation& one : *record_.annotations)
        if (search_.has(one.text))
          if (const auto index = scrub_.living_at(one.address, one.begin)) add(*index, false);
    if (recording_.annotations.empty()) return;
    for (const AnnotationSpan& span : annotation_lane(recording_, record_, kMostOpenSpans).spans)
      if (search_.has(span.name)) found_.states.push_back(std::min(span.begin, record_.events));
  }

  void add(std::uint32_t index, bool with_end) {
    const Life& life = scrub_.life(index);
    found_.lives[index] = true;
    if (with_end || life.begin == 0) found_.states.push_back(life.begin);
    if (with_end && life.end != kForever) found_.states.push_back(life.end);
  }

  void sum_up() {
    std::vector<std::int64_t> changes(std::size_t{record_.events} + 2);
    for (std::uint32_t index = 0; index < scrub_.size(); ++index) {
      if (!found_.lives[index]) continue;
      ++found_.count;
      const Life& life = scrub_.life(index);
      changes[life.begin] += static_cast<std::int64_t>(life.size_bytes);
      if (life.end <= record_.events) changes[life.end] -= static_cast<std::int64_t>(life.size_bytes);
    }
    std::int64_t bytes = 0;
    for (std::uint32_t state = 0; state <= record_.events; ++state) {
      bytes += changes[state];
      if (state == 0 || changes[state] != 0) found_.bytes.push_back({state, static_cast<std::uint64_t>(bytes)});
    }
  }

  const Search& search_;
  const Recording& recording_;
  const DeviceRecord& record_;
  const Scrub& scrub_;
  const EventTable& events_;
  Found found_;
};

std::vector<Step>::const_iterator step_of(const Found& found, std::uint32_t state) {
  const auto after = std::partition_point(found.bytes.begin(), found.bytes.end(),
                                          [&](const Step& step) { return step.state <= state; });
  return after - 1;
}

} // namespace

const Found& found_in(PageFile& file, Walk& walk) {
  const auto known = file.found.find(walk.record().device);
  if (known != file.found.end()) return known->second;
  Found found = file.search.is_empty() ? Found{} : Finder(file, walk).found();
  return file.found.emplace(walk.record().device, std::move(found)).first->second;
}

std::uint64_t found_bytes(const Found& found, std::uint32_t state) {
  return found.bytes.empty() ? 0 : step_of(found, state)->bytes;
}

std::vector<double> found_curve(const Found& found, const DeviceRecord& record, Window window, TimelineAxis axis,
                                std::size_t columns) {
  std::vector<double> out(columns * 2);
  if (found.bytes.empty()) return out;
  const AxisParts column_of(record, axis, window, columns);
  const auto fill = [&](std::size_t first, std::size_t after, std::uint64_t bytes) {
    for (std::size_t column = first; column < after; ++column)
      out[column * 2] = std::max(out[column * 2], static_cast<double>(bytes));
  };
  auto step = step_of(found, window.first);
  std::size_t column = 0;
  for (auto next = step + 1; next != found.bytes.end() && next->state <= window.last; ++next) {
    const std::size_t begin = column_of(next->state);
    // A column has the bytes before a change only if an earlier state begins in it.
    fill(column, column_of(next->state - 1) == begin ? begin + 1 : begin, step->bytes);
    column = begin;
    step = next;
  }
  fill(column, columns, step->bytes);
  const auto first = std::lower_bound(found.states.begin(), found.states.end(), window.first);
  for (auto state = first; state != found.states.end() && *state <= window.last; ++state)
    ++out[column_of(*state) * 2 + 1];
  return out;
}

} // namespace memviz::view
