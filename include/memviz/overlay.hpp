#pragma once

// Two recordings -> their live bytes over one axis, for a picture that draws one over the other.

#include "memviz/step_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

enum class OverlayAxis : std::uint8_t {
  event, ///< events by index
  time,  ///< since the first event of each recording
  step,  ///< steps by number, all of the same width
};

/// The requested bytes that are live in a column of the picture.
struct LiveSpan {
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
};

/// One device of a recording.
struct OverlaySide {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda;
  std::uint64_t events = 0;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> duration_us = {}; ///< from the first event to the last
  std::uint64_t peak_bytes = 0;
  std::uint64_t end_bytes = 0;
  std::vector<LiveSpan> columns = {}; ///< up to its last event
};

struct Overlay {
  OverlayAxis axis = OverlayAxis::event;
  double length = 1;       ///< of the axis: events, microseconds or steps
  std::size_t columns = 1; ///< along that length
  OverlaySide before;
  OverlaySide after;
  /// The column, present on both sides, whose highest bytes differ most; nullopt if none differs.
  std::optional<std::size_t> most = {};
};

struct OverlayOptions {
  std::optional<OverlayAxis> axis = {}; ///< nullopt: step if the steps of both are known, else event
  std::optional<DeviceId> device = {};  ///< nullopt: on each side the GPU with the highest peak
  StepChoice steps = {};
  std::size_t columns = 600;
};

/// Builds the overlay; the recordings hold their events. Throws UsageError if a side lacks events on the device, or the
/// times or steps that the axis needs.
[[nodiscard]] Overlay overlay_of(const MemoryState& before, const MemoryState& after, const OverlayOptions& options);

} // namespace memviz
