#include "memviz/compare.hpp"
#include "memviz/device_state.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

namespace memviz {

std::string other_moments_text(std::string_view command, const DeviceState& device, std::string_view owner) {
  std::string text;
  const auto add = [&](std::string_view held, std::string_view word) {
    const bool is_first = text.empty();
    text += fmt::format("{}{} ({}--at {}{})", is_first ? "" : "; ", held,
                        is_first ? fmt::format("memviz {} ", command) : "", word, is_first ? " FILE" : "");
  };
  const DeviceFigures& device_state = device.figures;
  if (device_state.events == 0) return text;
  const bool is_like_end = device_state.requested_bytes == device_state.end_live_bytes() &&
                           device_state.reserved_bytes == device_state.end_reserved_bytes;
  if (!device.moment.is_end() && !is_like_end) {
    add(fmt::format("at the end: {} requested of {} reserved", format_bytes(device_state.end_live_bytes()),
                    format_bytes(device_state.end_reserved_bytes)),
        "end");
  }
  if (!device.last_oom_event.is_none() && device.moment.event != device.last_oom_event)
    add(fmt::format("the out-of-memory error: event {}", format_count(device.last_oom_event.value())), "oom");
  if (device_state.requested_bytes != device_state.peak_requested_bytes)
    add(fmt::format("at the peak: {} requested", format_bytes(device_state.peak_requested_bytes)), "peak");
  if (text.empty()) return text;
  if (!owner.empty()) return fmt::format("{} {}", owner, text);
  text.front() = text.front() == 'a' ? 'A' : 'T'; // "at ...", "the ..."
  return text;
}

std::string moment_text(const DeviceState& device) {
  return moment_text(device.moment, device.figures.events);
}

std::string moments_text(std::span<const DeviceState> devices) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<DeviceState> used;
  std::ranges::copy_if(devices, std::back_inserter(used), is_used, &DeviceState::figures);
  if (!used.empty() && used.size() < devices.size()) return moments_text(used);
  const auto at_end = static_cast<std::size_t>(std::count_if(
      devices.begin(), devices.end(), [](const DeviceState& device_state) { return device_state.moment.is_end(); }));
  if (at_end == devices.size()) return moment_text({}, 0);
  if (devices.size() == 1) return moment_text(devices.front());
  std::string text;
  std::size_t named = 0;
  for (const DeviceState* device_state : leading_first(devices)) {
    if (device_state->moment.is_end() || named == kMostNamed) continue;
    ++named;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", device_name(*device_state), moment_text(*device_state));
  }
  if (const std::size_t more = devices.size() - at_end - named; more > 0)
    text += fmt::format("; {} more at theirs", more);
  if (at_end > 0) text += fmt::format("; {} {}", at_end == 1 ? "the other" : "the others", moment_text({}, 0));
  return text;
}

} // namespace memviz
