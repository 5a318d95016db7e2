#pragma once

// Totals, comparisons and timelines -> the numbers that are below the sentences of a picture, with their words. Which
// colour and which style each has is the picture's.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/story.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// The part of reserved memory that a figure is about.
enum class MemoryPart : std::uint8_t { none, requested, rounding, pending_free, inactive, unaccounted };

enum class FigureTone : std::uint8_t {
  plain,
  faint, ///< nothing, or nothing that is known
  more,
  less,
};

struct Figure {
  std::string name;
  std::string value;
  FigureTone tone = FigureTone::plain;
  std::string note = {};              ///< a few words that belong to the value
  bool is_warning = false;            ///< of the note
  MemoryPart part = MemoryPart::none; ///< `none` also for parts that are empty
};

/// Totals for a bar with a name and a note; a device, or below it one of its pools and streams.
struct MemoryRow {
  std::string name; ///< "" where the headline says it
  MemoryTotals totals;
  std::string note;
  bool is_detail = false; ///< a part of the row above
};

/// The parts of what is reserved, and what another moment held: of the device that is shown, else of the sum.
[[nodiscard]] std::vector<Figure> memory_figures(std::span<const DeviceState> devices);

/// A row for all, or one a device; after it, where a device has several pools or streams, one for each of the largest.
[[nodiscard]] std::vector<MemoryRow> memory_rows(const MemorySubject& subject);

/// Returns the changes of a device's gauges. `names_device`: there are other devices.
[[nodiscard]] std::vector<Figure> gauge_figures(const DeviceReadings& device, bool names_device);
/// Returns the changes of the parts of reserved memory.
[[nodiscard]] std::vector<Figure> change_figures(const DeviceFigures& before, const DeviceFigures& after);

/// The peak, what it was of, and the end.
[[nodiscard]] std::vector<Figure> timeline_figures(const TimelineSubject& subject);

/// A holder of the peak, or of what made PyTorch reserve it.
struct PeakRow {
  NodeKey line;
  std::uint64_t bytes = 0;
  std::string share;              ///< "12.5 %"
  std::string note;               ///< "23 allocations"
  std::string kinds;              ///< kinds_cell(); "" where none is known
  const Holder* holder = nullptr; ///< of which the row is; null for a line within the one above
};

struct PeakList {
  std::string heading;
  std::vector<PeakRow> rows; ///< largest first
  std::string rest;          ///< what was left out, or why the list is empty
};

[[nodiscard]] PeakList peak_list(const TimelineSubject& subject, std::size_t most_rows);

} // namespace memviz
