#pragma once

// Two recordings -> their live bytes over one axis, for a picture that lays one over the other.

#include "memviz/step_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

enum class OverlayAxis : std::uint8_t {
  event, ///< events by their numbers
  time,  ///< since the first event of each recording
  step,  ///< steps by their numbers, each as wide as the other
};

/// The requested bytes that live in a column of the picture.
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
  /// The column, which both have, whose highest bytes differ most; nothing where none differs.
  std::optional<std::size_t> most = {};
};

struct OverlayOptions {
  std::optional<OverlayAxis> axis = {}; ///< nothing: step where the steps of both are known, else event
  std::optional<DeviceId> device = {};  ///< nothing: of each side the GPU with the highest peak
  StepChoice steps = {};
  std::size_t columns = 600;
};

/// The recordings hold their events. Throws UsageError where a side has no events on the device, no times or no steps
/// that the axis needs.
[[nodiscard]] Overlay overlay_of(const MemoryState& before, const MemoryState& after, const OverlayOptions& options);

} // namespace memviz
