#pragma once

// The number of allocations of each size, by the kinds that they may have.

#include <algorithm>
#include <cstdint>
#include <map>

namespace memviz {

/// The number of gradients of one size that exist at once: made by a backward pass, and alive after it.
struct GradientCount {
  std::uint32_t epoch = 0;
  std::uint64_t in_epoch = 0;
  std::uint64_t most = 0;

  void add(std::uint32_t its_epoch);
};

/// The counts of the allocations of one size, by the kinds that they may have.
struct SizeFacts {
  GradientCount gradients;          ///< those that were freed again
  std::uint64_t kept_gradients = 0; ///< alive at the end
  std::uint64_t old_gradients = 0;  ///< older than the events and alive at the end, by AccumulateGrad
  std::uint64_t parameters = 0;     ///< named by their stacks
  std::uint64_t placeholders = 0;   ///< the ones freed before the first forward pass
  std::uint64_t old = 0;            ///< older than the events and alive at the end: parameters, or an optimizer's state
  std::uint64_t unfinished = 0;     ///< made by the backward pass in which the recording ends, and alive at the end
  /// The number made before the first forward pass and never freed.
  std::uint64_t residents = 0;

  [[nodiscard]] std::uint64_t gradients_at_once() const {
    return std::max({gradients.most, kept_gradients, old_gradients});
  }
  /// Whether a parameter may have this size.
  [[nodiscard]] bool has_parameters() const { return parameters + old + residents > 0; }
};

/// Facts by size, of a bounded number of sizes.
class SizeTable {
public:
  /// Returns null if there are too many sizes for a model.
  [[nodiscard]] SizeFacts* add(std::uint64_t size_bytes);
  [[nodiscard]] const SizeFacts& of(std::uint64_t size_bytes) const;
  /// Returns the number of allocations older than the events for each gradient of their size: the number that applies
  /// to most of the bytes, because a temporary may look like a gradient. 0 if there are none.
  [[nodiscard]] std::uint64_t old_per_gradient() const;
  /// Whether there are `copies` allocations older than the events for each of some gradients of that size.
  [[nodiscard]] bool has_old_copies(std::uint64_t size_bytes, std::uint64_t copies) const;

private:
  std::map<std::uint64_t, SizeFacts> facts_;
};

} // namespace memviz
