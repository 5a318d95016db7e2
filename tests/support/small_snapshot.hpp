#pragma once

// A snapshot of a few lines, built by hand, for tests of code after the reader.

#include "memviz/recording.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memviz::test {

[[nodiscard]] inline Event event_of(Action action, std::uint64_t address, std::uint64_t size_bytes,
                                    const PoolId& pool = {}) {
  Event event;
  event.action = action;
  event.address = address;
  event.size_bytes = size_bytes;
  event.pool = pool;
  return event;
}

class SmallSnapshot {
public:
  /// Starts a segment; blocks are added to the last one.
  SmallSnapshot& segment(std::uint64_t address, std::uint64_t total_bytes, std::int64_t stream = 0,
                         std::uint32_t device = 0);
  SmallSnapshot& pool(PoolId pool);
  SmallSnapshot& active(std::uint64_t size_bytes, std::uint64_t requested_bytes, StackId stack = kNoFrames);
  SmallSnapshot& pending(std::uint64_t size_bytes, std::uint64_t requested_bytes, StackId stack = kNoFrames);
  SmallSnapshot& inactive(std::uint64_t size_bytes);
  SmallSnapshot& event(Action action, std::uint64_t address, std::uint64_t size_bytes, StackId stack = kNoFrames,
                       std::uint32_t device = 0);
  /// Attaches a text to an allocation.
  SmallSnapshot& annotate(std::uint64_t address, std::string_view text);
  /// Sets the time of the following events and marks.
  SmallSnapshot& time(std::int64_t time_us);
  /// Begins an annotation.
  SmallSnapshot& mark(std::string_view name, std::uint32_t device = 0);
  SmallSnapshot& setting(std::string_view name, std::string_view value);
  SmallSnapshot& warning(std::string_view text);

  [[nodiscard]] FrameTable& frames() { return snapshot_.frames; }
  /// Parses "/app/train.py:12:step", outermost first.
  [[nodiscard]] StackId stack(const std::vector<std::string_view>& frames);
  [[nodiscard]] Recording take();

private:
  void add_block(const Block& block);

  Recording snapshot_;
  std::optional<std::int64_t> time_us_;
};

} // namespace memviz::test
