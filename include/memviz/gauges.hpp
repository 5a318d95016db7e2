#pragma once

// Two recordings -> the three figures that a change is judged by, for each device: what lived at the peak, what lives
// at the end, and what is reserved there. They are of the whole recordings, whatever moment is compared, and those of
// several devices are never added up: their peaks are at different times.

#include "memviz/replay.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

enum class Gauge : std::uint8_t {
  peak,     ///< requested bytes alive at the peak
  end,      ///< requested bytes alive at the end
  reserved, ///< bytes of the segments at the end
};
inline constexpr std::array<Gauge, 3> kGauges{Gauge::peak, Gauge::end, Gauge::reserved};

/// "peak", "end", "reserved"
[[nodiscard]] std::string_view gauge_name(Gauge gauge);

/// One figure on both sides; absent where the file does not tell it.
struct Reading {
  std::optional<std::uint64_t> before_bytes;
  std::optional<std::uint64_t> after_bytes;

  [[nodiscard]] bool is_known() const { return before_bytes && after_bytes; }
  /// After minus before; 0 where one is unknown.
  [[nodiscard]] std::int64_t change_bytes() const;
};

struct DeviceReadings {
  DeviceId device;
  bool is_cpu = false;
  std::array<Reading, kGauges.size()> readings; ///< in the order of kGauges

  [[nodiscard]] const Reading& of(Gauge gauge) const { return readings[static_cast<std::size_t>(gauge)]; }
  [[nodiscard]] Reading& of(Gauge gauge) { return readings[static_cast<std::size_t>(gauge)]; }
};

/// The figures of a device that one recording has in addition to its accounts.
struct EndReserved {
  DeviceId device;
  std::uint64_t bytes = 0;
};

/// One side: the accounts of its devices, ascending, and what each has reserved at the end, ascending, too.
struct GaugedSide {
  std::span<const DeviceState> devices;
  std::span<const EndReserved> reserved;
};

/// Returns the readings of all devices that either side has, ascending; a device that a side lacks holds nothing
/// there. The peak of a file without events is unknown: had recording been on, its allocations would be there.
[[nodiscard]] std::vector<DeviceReadings> readings_of(const GaugedSide& before, const GaugedSide& after);

/// A figure that grew too much.
struct GaugeGrowth {
  DeviceId device;
  bool is_cpu = false;
  Gauge gauge = Gauge::peak;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;

  [[nodiscard]] std::uint64_t bytes() const { return after_bytes - before_bytes; }
};

/// The growth that is allowed.
struct GrowthLimit {
  bool is_percent = false;
  double percent = 0; ///< of what was there before
  std::uint64_t bytes = 0;
  std::string given; ///< as it was written: "2%"

  /// Whether the growth exceeds the limit. Growth from 0 exceeds every percentage.
  [[nodiscard]] bool is_exceeded(std::uint64_t before_bytes, std::uint64_t after_bytes) const;
};

/// The result of checking a limit.
struct GateVerdict {
  GrowthLimit limit;
  std::vector<Gauge> judged;  ///< what was looked at
  std::vector<Gauge> unknown; ///< what would have been, had both files told it
  /// The gauges that grew by more, each with the device on which it grew most. Largest growth first.
  std::vector<GaugeGrowth> exceeded;
};

/// Looks at `gauge` of every device, or without one at all three.
[[nodiscard]] GateVerdict verdict_on(const std::vector<DeviceReadings>& devices, const GrowthLimit& limit,
                                     std::optional<Gauge> gauge);

} // namespace memviz
