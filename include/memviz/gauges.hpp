#pragma once

// Two recordings -> the three figures by which a change is judged, for each device: the live bytes at the peak and at
// the end, and the reserved bytes at the end. They describe whole recordings, whatever moment is compared, and are
// never summed over devices, whose peaks are at different times.

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

/// One figure on both sides; absent if the file does not show it.
struct Reading {
  std::optional<std::uint64_t> before_bytes;
  std::optional<std::uint64_t> after_bytes;

  [[nodiscard]] bool is_known() const { return before_bytes && after_bytes; }
  /// Returns after minus before; 0 if one is unknown.
  [[nodiscard]] std::int64_t change_bytes() const;
};

struct DeviceReadings {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda;
  std::array<Reading, kGauges.size()> readings; ///< in the order of kGauges

  [[nodiscard]] const Reading& of(Gauge gauge) const { return readings[static_cast<std::size_t>(gauge)]; }
  [[nodiscard]] Reading& of(Gauge gauge) { return readings[static_cast<std::size_t>(gauge)]; }
};

/// The figures of a device that a recording has in addition to its accounts.
struct EndReserved {
  DeviceId device;
  std::uint64_t bytes = 0;
};

/// One side: the accounts of its devices, ascending, and the bytes that each has reserved at the end, ascending as
/// well.
struct GaugedSide {
  std::span<const DeviceState> devices;
  std::span<const EndReserved> reserved;
};

/// Returns the readings of all devices that either side has, ascending; a device that one side lacks holds nothing
/// there. The peak of a file without events is unknown, because with recording on its allocations would have events.
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
  double percent = 0; ///< of the value before
  std::uint64_t bytes = 0;
  std::string given; ///< as it was written: "2%"

  /// Whether the growth exceeds the limit. Growth from 0 exceeds every percentage.
  [[nodiscard]] bool is_exceeded(std::uint64_t before_bytes, std::uint64_t after_bytes) const;
};

/// The allowed growth of each figure, and of each line of code; nullopt: unlimited.
struct GateLimits {
  std::array<std::optional<GrowthLimit>, kGauges.size()> gauges = {}; ///< in the order of kGauges
  std::optional<GrowthLimit> line = {};
  std::string given = {}; ///< as it was written: "peak=1%,line=256KiB"

  [[nodiscard]] const std::optional<GrowthLimit>& of(Gauge gauge) const {
    return gauges[static_cast<std::size_t>(gauge)];
  }
  [[nodiscard]] std::optional<GrowthLimit>& of(Gauge gauge) { return gauges[static_cast<std::size_t>(gauge)]; }
};

/// The figures that a limit without a name applies to. Reserved memory is not among them: it varies with warm-up,
/// settings and the order of allocations although the program does the same.
inline constexpr std::array<Gauge, 2> kUsualGauges{Gauge::peak, Gauge::end};

/// Returns one limit for each of the figures.
[[nodiscard]] GateLimits limits_on(std::span<const Gauge> gauges, const GrowthLimit& limit);

/// The result of checking the limits.
struct GateVerdict {
  GateLimits limits;
  std::vector<Gauge> judged;  ///< the figures that were checked
  std::vector<Gauge> unknown; ///< those that would have been, had both files recorded them
  /// The gauges that grew by more, each with the device on which it grew most. Largest growth first.
  std::vector<GaugeGrowth> exceeded;
  /// The lines that grew by more, as indices into Comparison::changes.
  std::vector<std::size_t> lines = {};

  [[nodiscard]] bool is_passed() const { return exceeded.empty() && lines.empty(); }
};

/// Checks the figures of every device against their limits; does not check lines.
[[nodiscard]] GateVerdict verdict_on(const std::vector<DeviceReadings>& devices, const GateLimits& limits);

} // namespace memviz
