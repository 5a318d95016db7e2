#pragma once

// The contents of a snapshot, ready to be written: every frame and stack once, everything else by index. The recorders
// fill it, the writer converts it into bytes.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace memviz::capture {

struct FrameData {
  std::string name;
  std::string filename;
  std::int64_t line = 0;
};

/// Index into SnapshotData::stacks.
using StackIndex = std::uint32_t;
inline constexpr StackIndex kNoStack = std::numeric_limits<StackIndex>::max();

using PoolId = std::pair<std::uint64_t, std::uint64_t>;

struct BlockData {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested_size = 0;
  const char* state = "active_allocated"; ///< "active_allocated", "active_pending_free" or "inactive"
  StackIndex stack = kNoStack;
};

struct SegmentData {
  int device = 0;
  std::uint64_t address = 0;
  std::uint64_t total_size = 0;
  std::int64_t stream = 0;
  bool is_large = false;
  bool is_expandable = false;
  PoolId pool;
  StackIndex stack = kNoStack;
  std::vector<BlockData> blocks;
};

struct EventData {
  const char* action = "alloc"; ///< PyTorch's spelling
  std::uint64_t address = 0;    ///< for "oom": the free bytes of the device, written as `device_free`
  std::uint64_t size = 0;
  std::int64_t stream = 0;
  std::int64_t time_us = 0;
  PoolId pool;
  StackIndex stack = kNoStack; ///< kNoStack: no `frames` key, as in PyTorch
  std::string compile_context;
  std::string user_metadata;
};

struct AnnotationData {
  std::string name;
  std::string stage; ///< "START" or "END"
  int device = 0;
  std::int64_t time_us = 0;
};

using SettingValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::pair<std::string, std::int64_t>>>;

struct SnapshotData {
  std::vector<FrameData> frames;
  std::vector<std::vector<std::uint32_t>> stacks; ///< indices of frames, innermost first
  std::vector<SegmentData> segments;
  std::vector<std::vector<EventData>> traces; ///< index = device, oldest event first
  std::vector<AnnotationData> annotations;
  std::vector<std::pair<std::string, SettingValue>> settings;
};

} // namespace memviz::capture
