#pragma once

// The state of a device in the model of the allocator, to test whether a request fits if some blocks are freed.

#include "analysis/explain/allocator_model.hpp"
#include "memviz/memory_ledger.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

class Trial {
public:
  /// The device has the free memory that `request` records, in addition to what `state` reserves.
  Trial(const MemoryState& state, DeviceId device, const Request& request, const AllocatorSettings& settings,
        bool releases_cache = true);

  /// `blocks`: indices into the state's blocks, ascending. Releases cached memory if that is needed and the allocator
  /// would do so.
  [[nodiscard]] bool fits_without(std::span<const std::uint32_t> blocks) const;
  /// Returns the bytes that the device would have to supply for the request now.
  [[nodiscard]] std::uint64_t needed_bytes() const {
    return model_.needed_bytes(request_.bytes, request_.stream, request_.pool);
  }

private:
  struct Adopted {
    std::uint32_t first_block = 0;
    std::vector<AllocatorModel::Handle> handles;
  };

  Request request_;
  AllocatorModel model_;
  std::vector<Adopted> segments_; ///< ascending
};

} // namespace memviz
