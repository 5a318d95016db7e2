#pragma once

// Memory at a moment, and the allocations of the whole recording -> a profile for pprof, as profile.proto of
// github.com/google/pprof describes it, uncompressed. Samples have inuse_objects, inuse_space, alloc_objects and
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
  std::string file;           ///< the name used in comments
  const MemoryState& state;   ///< with kinds
  const TreeOptions& options; ///< its levels are those of pprof_levels(), or these and Level::keeper
  const AllocationCounter& allocations;
  std::optional<std::uint64_t> rank = {}; ///< of the process, if the file does not record it
};

/// Returns the levels that become labels. With Level::keeper after them, paths of keepers replace stacks, and the
/// samples have inuse_objects and inuse_space only.
[[nodiscard]] std::vector<Level> pprof_levels();

/// Returns the profile. The sum of inuse_space is the reserved bytes of the requested devices, including free memory
/// and rounding, which have frames of that name; the sum of alloc_space is the bytes of all recorded allocations.
/// Throws the exceptions of build_frame_tree().
[[nodiscard]] std::string pprof_profile(const PprofSubject& subject);

} // namespace memviz
