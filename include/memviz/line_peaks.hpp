#pragma once

// Events -> the most that each line of code held at once, whatever the moment.

#include "memviz/device_id.hpp"
#include "memviz/events.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace memviz {

/// The most that a line held at once.
struct LinePeak {
  std::uint64_t bytes = 0;       ///< requested
  bool is_communication = false; ///< whether its first stack allocates communication buffers
};

/// Collects the most that each line of code held at once. Peaks of ranks can be in different phases of a step, so lines
/// of ranks are compared by this figure. Memory is proportional to the lines and to what is live.
class LinePeaks final : public EventSink {
public:
  LinePeaks();
  ~LinePeaks() override;
  LinePeaks(const LinePeaks&) = delete;
  LinePeaks& operator=(const LinePeaks&) = delete;

  void begin(const FrameTable& frames) override;
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;

  /// Returns the highest requested bytes of each line of UserLineFinder, without memory from before the first event.
  [[nodiscard]] std::map<NodeKey, LinePeak> of(DeviceId device) const;

private:
  struct Known;
  std::unique_ptr<Known> known_;
};

} // namespace memviz
