#pragma once

// Two recordings -> the three figures that a change is judged by, for each device: what lived at the peak, what lives
// at the end, and what is reserved there. They are of the whole recordings, whatever moment is compared, and those of
// several devices are never added up: their peaks are at different times.

#include "memviz/device_kind.hpp"
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

/// One figure on both sides; absent where the file does not show it.
struct Reading {
  std::optional<std::uint64_t> before_bytes;
  std::optional<std::uint64_t> after_bytes;

  [[nodiscard]] bool is_known() const { return before_bytes && after_bytes; }
  /// After minus before; 0 where one is unknown.
  [[nodiscard]] std::int64_t change_bytes() const;
};

struct DeviceReadings {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda;
  std::array<Reading, kGauges.size()> readings; ///< in the order of kGauges

  [[nodiscard]] const Reading& of(Gauge gauge) const { return readings[static_cast<std::size_t>(gauge)]; }
  [[nodiscard]] Reading& of(Gauge gauge) { return readings[static_cast<std::size_t>(gauge)]; }
};

/// The figures of a device that one recording has in addition to its accounts.
struct EndReserved {
  DeviceId device;
  std::uint64_t bytes = 0;
};

/// One side: the accounts of its devices, ascending, and what each has reserved at the end, ascending as well.
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
  DeviceKind device_kind = DeviceKind::cuda;
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

/// The growth of each figure, and of each line of code, that is allowed; nothing: any.
struct GateLimits {
  std::array<std::optional<GrowthLimit>, kGauges.size()> gauges = {}; ///< in the order of kGauges
  std::optional<GrowthLimit> line = {};
  std::string given = {}; ///< as it was written: "peak=1%,line=256KiB"

  [[nodiscard]] const std::optional<GrowthLimit>& of(Gauge gauge) const {
    return gauges[static_cast<std::size_t>(gauge)];
  }
  [[nodiscard]] std::optional<GrowthLimit>& of(Gauge gauge) { return gauges[static_cast<std::size_t>(gauge)]; }
};

/// The figures that a limit without a name is about. Reserved memory moves with warm-up, settings and the order of
/// allocations while the program does the same.
inline constexpr std::array<Gauge, 2> kUsualGauges{Gauge::peak, Gauge::end};

/// One limit for each of the figures.
[[nodiscard]] GateLimits limits_on(std::span<const Gauge> gauges, const GrowthLimit& limit);

/// The result of checking the limits.
struct GateVerdict {
  GateLimits limits;
  std::vector<Gauge> judged;  ///< what was looked at
  std::vector<Gauge> unknown; ///< what would have been, had both files recorded it
  /// The gauges that grew by more, each with the device on which it grew most. Largest growth first.
  std::vector<GaugeGrowth> exceeded;
  /// The lines that grew by more, as indices into Comparison::changes.
  std::vector<std::size_t> lines = {};

  [[nodiscard]] bool is_passed() const { return exceeded.empty() && lines.empty(); }
};

/// Looks at the figures of every device that have a limit; not at lines.
[[nodiscard]] GateVerdict verdict_on(const std::vector<DeviceReadings>& devices, const GateLimits& limits);

} // namespace memviz
