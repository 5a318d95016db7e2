#pragma once

// Address and event -> the pool it belongs to. Only files of 2026 record it; for older files, the segments at the end
// of the recording show it for memory that did not change until then.

#include "memviz/memory_map.hpp"
#include "memviz/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class EventPools {
public:
  EventPools(const MemoryMap& memory, DeviceId device, const TraceSurvey::Device& survey);

  /// Returns nullopt if the file does not show it.
  [[nodiscard]] std::optional<PoolId> pool(std::uint64_t index, const Event& event) const;

private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t known_from = 0; ///< the first event since which the segment has been as at the end
    PoolId pool;
  };

  [[nodiscard]] std::size_t first_ending_after(std::uint64_t address) const;

  std::vector<Range> ranges_; ///< ascending, without overlap
};

} // namespace memviz
