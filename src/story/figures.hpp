#pragma once

// Totals, comparisons and timelines -> the numbers below the sentences of a picture, with their words. Pictures decide
// colours and styles.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/story.hpp"
#include "story/holders.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// The part of reserved memory that a figure describes.
enum class MemoryPart : std::uint8_t { none, requested, rounding, pending_free, inactive, unaccounted };

enum class FigureTone : std::uint8_t {
  plain,
  faint, ///< nothing, or nothing known
  more,
  less,
};

struct Figure {
  std::string name;
  std::string value;
  FigureTone tone = FigureTone::plain;
  std::string note = {};              ///< a few words next to the value
  bool is_warning = false;            ///< of the note
  MemoryPart part = MemoryPart::none; ///< `none` also for empty parts
};

/// Totals for a bar with a name and a note: of a device, or of one of its pools and streams.
struct MemoryRow {
  std::string name; ///< "" where the headline says it
  MemoryTotals totals;
  std::string note;
  bool is_detail = false; ///< part of the row above
};

/// The parts of reserved memory, and what other moments held: of the shown device, else of the sum.
[[nodiscard]] std::vector<Figure> memory_figures(std::span<const DeviceState> devices);

/// Returns one row for all, or one per device; a device with several pools or streams is followed by one row for each
/// of the largest.
[[nodiscard]] std::vector<MemoryRow> memory_rows(const MemorySubject& subject);

/// Returns the changes of a device's gauges. `names_device`: whether to name the device, because there are others.
[[nodiscard]] std::vector<Figure> gauge_figures(const DeviceReadings& device, bool names_device);
/// Returns the changes of the parts of reserved memory.
[[nodiscard]] std::vector<Figure> change_figures(const DeviceFigures& before, const DeviceFigures& after);

/// Returns the peak, what it consisted of, and the end.
[[nodiscard]] std::vector<Figure> timeline_figures(const TimelineSubject& subject);

/// Returns the holders of the peak, or of the memory that PyTorch reserved for it.
[[nodiscard]] HolderTable peak_holders(const TimelineSubject& subject, const std::vector<UserLine>& holders,
                                       std::size_t most);

} // namespace memviz
