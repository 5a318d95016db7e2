#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "memviz/story.hpp"

#include <algorithm>

namespace memviz::view {

namespace {

struct Sum {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  void add(const Life& life) {
    bytes += life.size_bytes;
    ++count;
  }
};

void write_sum(JsonWriter& json, std::string_view name, const Sum& sum) {
  json.key(name).begin_object().member("bytes", sum.bytes).member("count", sum.count).end_object();
}

} // namespace

std::string headline_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const auto state = file.state_at(request.text("at", "auto"), request.device());
  const Story story = flame_story(memory_subject(*state, request.device()));
  std::string out;
  JsonWriter(out, JsonLayout::compact)
      .begin_object()
      .member("headline", story.headline)
      .member("answer", story.answer)
      .end_object();
  return out;
}

std::string same_time(Engine& engine, const PageRequest& request) {
  constexpr std::uint64_t kMostDevice = 0xFFFFFFFF;
  const DeviceRecord& record = engine.file(request).walk(request.device()).record();
  const DeviceId other{static_cast<std::uint32_t>(request.number("of_device", 0, kMostDevice))};
  const DeviceRecord& from = engine.file(request, "of_file").walk(other).record();
  const std::vector<std::int64_t>& times = record.times_us();
  const std::vector<std::int64_t>& other_times = from.times_us();
  const auto state = static_cast<std::size_t>(request.number("state", 0, from.events));
  if (times.empty() || other_times.empty() || state == 0) return R"({"state":null})";
  const std::int64_t time_us = other_times[state - 1];
  if (time_us < times.front() || time_us > times.back()) return R"({"state":null})";
  const auto after = std::upper_bound(times.begin(), times.end(), time_us);
  std::string out;
  JsonWriter(out, JsonLayout::compact)
      .begin_object()
      .member("state", static_cast<std::uint64_t>(after - times.begin()))
      .end_object();
  return out;
}

std::string span_of(Engine& engine, const PageRequest& request) {
  const DeviceRecord& record = engine.file(request).walk(request.device()).record();
  const Window window = request.window(record.events);
  std::string out;
  JsonWriter(out, JsonLayout::compact)
      .begin_object()
      .key("us")
      .begin_array()
      .value(axis_position(record, TimelineAxis::time, window.first))
      .value(axis_position(record, TimelineAxis::time, window.last))
      .end_array()
      .end_object();
  return out;
}

std::string range_of(Engine& engine, const PageRequest& request) {
  const Walk& walk = engine.file(request).walk(request.device());
  const DeviceRecord& record = walk.record();
  const Window window = request.window(record.events);
  Sum allocated;
  Sum freed;
  Sum left;
  for (std::uint32_t index = 0; index < walk.scrub().size(); ++index) {
    const Life& life = walk.scrub().life(index);
    const bool is_born = life.begin > window.first && life.begin <= window.last;
    if (is_born) allocated.add(life);
    if (life.end > window.first && life.end <= window.last) freed.add(life);
    if (is_born && life.lives_in(window.last)) left.add(life);
  }
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("first", window.first).member("last", window.last);
  json.member("before_bytes", walk.live_bytes(window.first)).member("after_bytes", walk.live_bytes(window.last));
  write_sum(json, "allocated", allocated);
  write_sum(json, "freed", freed);
  write_sum(json, "left", left);
  if (!record.times_us().empty())
    json.member("us", axis_position(record, TimelineAxis::time, window.last) -
                          axis_position(record, TimelineAxis::time, window.first));
  json.end_object();
  return out;
}

} // namespace memviz::view
