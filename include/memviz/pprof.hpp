#pragma once

// Memory at a moment, and what was allocated in the whole recording -> a profile for pprof, as profile.proto of
// github.com/google/pprof describes it, not compressed. Samples have inuse_objects, inuse_space, alloc_objects and
// alloc_space; their labels are device, state, kind and rank.

#include "memviz/flame.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace memviz {

/// Counts the recorded allocations by device and stack, while the events are read.
class AllocationCounter final : public EventSink {
public:
  using Sums = std::map<std::pair<DeviceId, StackId>, Amount>;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override { sums_.clear(); }
  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }

private:
  Sums sums_;
};

struct PprofSubject {
  std::string file;           ///< what comments call it
  const MemoryState& state;   ///< with kinds
  const TreeOptions& options; ///< its levels are those of pprof_levels()
  const AllocationCounter& allocations;
  std::optional<std::uint64_t> rank = {}; ///< of the process, where the file does not record it
};

/// The levels that become labels.
[[nodiscard]] std::vector<Level> pprof_levels();

/// The sum of inuse_space is the reserved bytes of the devices asked for, free memory and rounding included, which have
/// frames that say so; that of alloc_space is the bytes of all recorded allocations. Throws what build_frame_tree()
/// throws.
[[nodiscard]] std::string pprof_profile(const PprofSubject& subject);

} // namespace memviz
