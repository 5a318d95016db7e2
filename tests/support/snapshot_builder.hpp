#pragma once

// Small snapshots in the words of the reader:
//   SnapshotBuilder snapshot;
//   snapshot.segment(0x1000, 2 * MiB).active(512, 500, {"train.py:12:step"}).inactive(2 * MiB - 512);
//   snapshot.alloc(0x1000, 500, {"train.py:12:step"});
//   read_snapshot(snapshot.pickle())

#include "memviz/recording.hpp"
#include "support/python_value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::test {

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;
inline constexpr std::uint64_t GiB = 1024 * MiB;

/// Parses frames as "FILE:LINE:NAME", innermost first, as in the file.
using Stack = std::vector<std::string>;
[[nodiscard]] PythonValue frames_of(const Stack& stack);

class SegmentBuilder {
public:
  SegmentBuilder(PythonValue segment, PythonValue blocks, std::uint64_t address)
      : segment_(std::move(segment)), blocks_(std::move(blocks)), address_(address) {}

  SegmentBuilder& active(std::uint64_t size, std::uint64_t requested, const Stack& stack = {});
  SegmentBuilder& pending(std::uint64_t size, std::uint64_t requested, const Stack& stack = {});
  /// `stale_requested`: the value that every writer leaves in a freed block.
  SegmentBuilder& inactive(std::uint64_t size, std::uint64_t stale_requested = 0);
  SegmentBuilder& block(PythonValue block);
  SegmentBuilder& set(std::string_view key, PythonValue value);

private:
  SegmentBuilder& add(std::uint64_t size, std::uint64_t requested, const char* state, const Stack& stack);

  PythonValue segment_;
  PythonValue blocks_;
  std::uint64_t address_;
};

class SnapshotBuilder {
public:
  /// The builder shares the segment with this object.
  SegmentBuilder segment(std::uint64_t address, std::uint64_t total_size, int device = 0, std::int64_t stream = 0);
  SnapshotBuilder& event(std::string_view action, std::uint64_t address, std::uint64_t size, const Stack& stack = {},
                         int device = 0);
  SnapshotBuilder& event(PythonValue event, int device = 0);
  SnapshotBuilder& alloc(std::uint64_t address, std::uint64_t size, const Stack& stack = {}) {
    return event("alloc", address, size, stack);
  }
  /// Adds both free_requested and free_completed.
  SnapshotBuilder& free(std::uint64_t address, std::uint64_t size);
  /// Adds pinned host memory: a block that is its segment. Its size is a power of two, as in its events.
  SnapshotBuilder& host_block(std::uint64_t address, std::uint64_t size, bool is_active, const Stack& stack = {});
  SnapshotBuilder& host_event(std::string_view action, std::uint64_t address, std::uint64_t size,
                              const Stack& stack = {});
  /// Sets a key of the top level.
  SnapshotBuilder& set(std::string_view key, PythonValue value);

  [[nodiscard]] const PythonValue& python() const { return root_; }
  [[nodiscard]] std::string pickle(PickleStyle style = {}) const { return pickled(root_, style); }
  [[nodiscard]] Recording read() const { return read_snapshot(pickle()); }

private:
  PythonValue segments_ = list();
  PythonValue traces_ = list();
  PythonValue host_segments_ = list();
  PythonValue host_trace_ = list();
  PythonValue root_ = dict({{"segments", segments_}, {"device_traces", traces_}});
};

} // namespace memviz::test
