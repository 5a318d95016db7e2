#pragma once

// A state with its kinds of memory -> the entries of a memory report: a weight for each parameter with the bytes of its
// gradient, and an activation for what the backward pass will need. docs/report.md says how each is named and paired.

#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// A name of MemoryReport::names, with a number where several entries share it.
struct EntryName {
  std::uint32_t name = 0;
  std::uint32_t number = 0; ///< 0: none
};

/// One allocation.
struct ReportEntry {
  EntryName name; ///< of a weight the weight's, of an activation the operation's
  DeviceId device;
  std::uint32_t block = 0; ///< index in MemoryMap::blocks
  std::uint64_t size_bytes = 0;
  std::uint64_t gradient_bytes = 0; ///< of a weight that has one
};

enum class UnpairedReason : std::uint8_t {
  other_size,     ///< no weight has the gradient's size
  may_be_state,   ///< so it is, but memory that is a parameter or an optimizer's state has that size
  more_than_them, ///< each weight of that size has its gradient
  other_name,     ///< the program declared whose gradient it is, and no weight is called so
};
/// "no weight has this size", ...
[[nodiscard]] std::string_view unpaired_words(UnpairedReason reason);

/// Gradients of one size on one device that belong to no weight.
struct UnpairedGradients {
  DeviceId device;
  std::uint64_t size_bytes = 0; ///< of each
  UnpairedReason reason = UnpairedReason::other_size;
  std::uint64_t count = 0;
};

struct MemoryReport {
  std::vector<DeviceId> devices;        ///< that it is about
  std::vector<ReportEntry> weights;     ///< by device, then in the order in which they were allocated
  std::vector<ReportEntry> activations; ///< likewise
  std::vector<UnpairedGradients> unpaired;
  std::vector<std::string> names;
  std::uint64_t peak_bytes = 0; ///< requested, at the highest; of several devices the sum of their peaks

  /// "linear in __init__ model.py:41 #2"
  [[nodiscard]] std::string name_of(const ReportEntry& entry) const;
};

/// `state` has kinds, and so has each record of its `timeline`; births, where it has them, show declared names.
/// Of `device`, else of all GPUs; pinned host memory is among them where there is nothing else.
[[nodiscard]] MemoryReport memory_report(const MemoryState& state, std::span<const DeviceRecord> timeline,
                                         std::optional<DeviceId> device);

} // namespace memviz
