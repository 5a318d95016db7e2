#pragma once

// A state with kinds of memory -> the entries of a memory report: a weight for each parameter, with the bytes of its
// gradient, and an activation for each tensor kept for the backward pass. docs/report.md describes names and pairing.

#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// A name from MemoryReport::names, with a number if several entries share it.
struct EntryName {
  std::uint32_t name = 0;
  std::uint32_t number = 0; ///< 0: none
};

/// One allocation.
struct ReportEntry {
  EntryName name; ///< for a weight, of the weight; for an activation, of the operation
  DeviceId device;
  std::uint32_t block = 0; ///< index in MemoryMap::blocks
  std::uint64_t size_bytes = 0;
  std::uint64_t gradient_bytes = 0; ///< of a weight, if it has one
};

enum class UnpairedReason : std::uint8_t {
  other_size,     ///< no weight has the gradient's size
  may_be_state,   ///< it has, but so has memory that is a parameter or an optimizer's state
  more_than_them, ///< every weight of that size already has its gradient
  other_name,     ///< the program declared its weight, but no weight has that name
};
/// "no weight has this size", ...
[[nodiscard]] std::string_view unpaired_words(UnpairedReason reason);

/// Gradients of one size on one device that no weight matches.
struct UnpairedGradients {
  DeviceId device;
  std::uint64_t size_bytes = 0; ///< of each
  UnpairedReason reason = UnpairedReason::other_size;
  std::uint64_t count = 0;
};

struct MemoryReport {
  std::vector<DeviceId> devices;        ///< the devices that it describes
  std::vector<ReportEntry> weights;     ///< by device, then in the order in which they were allocated
  std::vector<ReportEntry> activations; ///< likewise
  std::vector<UnpairedGradients> unpaired;
  std::vector<std::string> names;
  std::uint64_t peak_bytes = 0; ///< requested, at the peak; for several devices the sum of their peaks

  /// "linear in __init__ model.py:41 #2"
  [[nodiscard]] std::string name_of(const ReportEntry& entry) const;
};

/// Builds the report. `state` has kinds, and so has each record of its `timeline`; births, if the state has them,
/// supply declared names. Covers `device`, else all GPUs; pinned host memory only if there is nothing else.
[[nodiscard]] MemoryReport memory_report(const MemoryState& state, std::span<const DeviceRecord> timeline,
                                         std::optional<DeviceId> device);

} // namespace memviz
