#pragma once

// Allocations -> the streams that they belong to, by which a flame graph groups its boxes.

#include "memviz/device_state.hpp"
#include "memviz/timeline.hpp"

#include <string>
#include <vector>

namespace memviz::view {

class Streams {
public:
  /// `end` is the memory at the end of the recording of `record`; both must outlive this object.
  Streams(const MemoryMap& end, const DeviceRecord& record);

  /// Returns the stream in the allocation's events, else that of its segment at the end; "" if neither is known.
  [[nodiscard]] std::string of(const Life& life) const;

private:
  const DeviceRecord& record_;
  std::vector<const Segment*> segments_; ///< by address
};

} // namespace memviz::view
