#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "engine/found.hpp"
#include "engine/numbers.hpp"

#include <algorithm>

namespace memviz::view {

namespace {

/// Writes where else in the file the search finds something, for a device without any.
void write_other_devices(JsonWriter& json, PageFile& file, DeviceId than) {
  json.key("others").begin_array();
  for (const DeviceRecord& record : file.timeline()) {
    if (record.device == than) continue;
    const std::size_t all = found_in(file, file.walk(record.device)).states.size();
    if (all > 0) json.begin_object().member("device", record.device.value).member("all", all).end_object();
  }
  json.end_array();
}

void write_neighbours(JsonWriter& json, const std::vector<std::uint32_t>& states, std::uint32_t state) {
  const auto here = std::lower_bound(states.begin(), states.end(), state);
  const auto after = std::upper_bound(here, states.end(), state);
  json.member("until", static_cast<std::size_t>(after - states.begin())).member("is_here", here != after);
  if (here != states.begin()) json.member("previous", *(here - 1));
  if (after != states.end()) json.member("next", *after);
  if (!states.empty()) json.member("first", states.front()).member("last", states.back());
}

} // namespace

std::string find_text(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  file.search = Search(request.text("text"), file.recording());
  file.found.clear();
  std::string out;
  JsonWriter(out, JsonLayout::compact).begin_object().member("frames", file.search.frames()).end_object();
  return out;
}

std::string hits_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  const Found& found = found_in(file, walk);
  const std::uint32_t events = walk.record().events;
  const auto state = static_cast<std::uint32_t>(request.number("state", events, events));
  const auto most = std::max_element(found.bytes.begin(), found.bytes.end(),
                                     [](const Step& left, const Step& right) { return left.bytes < right.bytes; });
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("all", found.states.size()).member("allocations", found.count);
  write_neighbours(json, found.states, state);
  json.member("bytes", found_bytes(found, state));
  if (most != found.bytes.end()) json.member("most_bytes", most->bytes).member("most_state", most->state);
  if (found.states.empty() && !file.search.is_empty()) write_other_devices(json, file, walk.record().device);
  json.end_object();
  return out;
}

std::string found_curve_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  Walk& walk = file.walk(request.device());
  std::string out;
  append_bytes(out, found_curve(found_in(file, walk), walk.record(), request.window(walk.record().events),
                                axis_of(request, walk.record()), columns_of(request)));
  return out;
}

} // namespace memviz::view
