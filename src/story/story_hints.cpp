#include "memviz/story.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

bool is_far_above_end(const DeviceFigures& figures) {
  constexpr std::uint64_t kNoticeableBytes = std::uint64_t{64} << 20U;
  if (figures.peak_requested_bytes <= figures.end_requested_bytes) return false;
  const std::uint64_t above_bytes = figures.peak_requested_bytes - figures.end_requested_bytes;
  return above_bytes > kNoticeableBytes && above_bytes > figures.end_requested_bytes / 2;
}

} // namespace

std::vector<std::string> end_hints(std::span<const DeviceState> devices) {
  std::vector<std::string> hints;
  for (const DeviceState& device_state : devices) {
    if (!device_state.moment.is_end() || (device_state.figures.ooms == 0 && !is_far_above_end(device_state.figures)))
      continue;
    const std::string reason = device_state.figures.ooms > 0
                                   ? fmt::format("ran out of memory at event {}", device_state.last_oom_event.value())
                                   : "held more before";
    hints.push_back(
        fmt::format("{} {}: this is the end of the recording, with {} requested; the peak was {} at "
                    "event {} (--at {} shows that)",
                    device_heading(device_state), reason, format_bytes(device_state.figures.end_requested_bytes),
                    format_bytes(device_state.figures.peak_requested_bytes), device_state.peak_event.number(),
                    device_state.figures.ooms > 0 ? "oom or --at peak" : "peak"));
  }
  return hints;
}

} // namespace memviz
