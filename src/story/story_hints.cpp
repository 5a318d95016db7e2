#include "memviz/story.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

bool is_far_above_end(const DeviceStats& stats) {
  constexpr std::uint64_t kNoticeableBytes = std::uint64_t{64} << 20U;
  if (stats.peak_requested_bytes <= stats.end_requested_bytes) return false;
  const std::uint64_t above_bytes = stats.peak_requested_bytes - stats.end_requested_bytes;
  return above_bytes > kNoticeableBytes && above_bytes > stats.end_requested_bytes / 2;
}

} // namespace

std::vector<std::string> end_hints(const std::vector<DeviceStats>& devices) {
  std::vector<std::string> hints;
  for (const DeviceStats& stats : devices) {
    if (!stats.at.is_end() || (stats.ooms == 0 && !is_far_above_end(stats))) continue;
    const std::string reason = stats.ooms > 0
                                   ? fmt::format("ran out of memory at event {}", stats.last_oom_event.value())
                                   : "held more before";
    hints.push_back(fmt::format("{} {}: this is the end of the recording, with {} requested; the peak was {} at "
                                "event {} (--at {} shows that)",
                                device_heading(stats.device, stats.is_cpu), reason,
                                format_bytes(stats.end_requested_bytes), format_bytes(stats.peak_requested_bytes),
                                stats.peak_event.number(), stats.ooms > 0 ? "oom or --at peak" : "peak"));
  }
  return hints;
}

} // namespace memviz
