#pragma once

// The steps of two recordings -> how the memory of each step changed, and in which step they differ most. Steps are
// paired by number: events and times of two runs are not comparable, because one additional allocation shifts all that
// follow.

#include "memviz/step_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

struct StepChange {
  std::uint64_t step = 0; ///< its number, from 1
  StepFigures before;
  StepFigures after;

  [[nodiscard]] std::int64_t peak_bytes() const; ///< after minus before
  [[nodiscard]] std::int64_t end_bytes() const;
};

/// The steps of one device of both recordings.
struct StepComparison {
  DeviceId device;
  DeviceKind device_kind = DeviceKind::cuda;
  Steps before; ///< without `starts`
  Steps after;
  std::uint64_t before_steps = 0;
  std::uint64_t after_steps = 0;
  std::vector<StepChange> rows = {}; ///< the steps that both have, ascending; none if the steps of a side are unknown
  std::optional<std::size_t> most = {}; ///< the row whose peak changed most; nullopt if none changed
};

/// Returns a comparison for each device that both have. If each side has one device, these are compared whatever their
/// numbers.
[[nodiscard]] std::vector<StepComparison> compare_steps(const std::vector<StepTable>& before,
                                                        const std::vector<StepTable>& after);

} // namespace memviz
