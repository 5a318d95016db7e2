#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/timeline_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

Window window_of(const DeviceRecord& record, std::optional<std::uint64_t> from, std::optional<std::uint64_t> to) {
  Window window{0, record.events};
  if (from && *from < record.events) window.first = static_cast<std::uint32_t>(*from) + 1;
  if (to && *to < record.events) window.last = static_cast<std::uint32_t>(*to) + 1;
  return window;
}

void check_window(const std::vector<TimelineDevice>& devices, std::optional<std::uint64_t> from,
                  std::optional<std::uint64_t> to) {
  if (from && to && *from > *to) throw UsageError(fmt::format("--from {} lies after --to {}", *from, *to));
  std::uint32_t most = 0;
  for (const TimelineDevice& device : devices)
    most = std::max(most, device.record.events);
  const auto check = [&](std::string_view option, std::optional<std::uint64_t> event) {
    if (event && *event >= most)
      throw UsageError(fmt::format("--{} {}: the recording has {} events, numbered from 0", option, *event, most));
  };
  check("from", from);
  check("to", to);
}

} // namespace

Wants wants_of(const TimelineQuestion& question) {
  return {.kinds = question.kinds, .timeline = true};
}

TimelineAnswer timeline_answer(const TimelineQuestion& question, Loaded loaded) {
  std::vector<TimelineDevice> devices;
  for (DeviceRecord& one : loaded.timeline) {
    if (question.device && one.device != *question.device) continue;
    const Window window = window_of(one, question.from, question.to);
    devices.push_back({std::move(one), window});
  }
  loaded.timeline.clear();
  check_window(devices, question.from, question.to);
  return {std::move(loaded), std::move(devices)};
}

TimelinePicture picture_of(const TimelineAnswer& answer) {
  return {picture_name(answer.loaded.name), answer.loaded.state, answer.devices};
}

std::string json_of(const TimelineAnswer& answer) {
  std::vector<TimelinePart> parts;
  for (const TimelineDevice& device : answer.devices)
    parts.push_back({device.record, device.window});
  return timeline_json(answer.loaded.name, answer.loaded.state, parts);
}

} // namespace memviz
