#pragma once

// The native call stack as raw return addresses, taken in about a microsecond, and their names, looked up once at dump.

#include "snapshot_data.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace memviz::capture {

/// Return addresses of the caller, innermost first, at most kMaxDepth; this library's own frames are left out at dump.
[[nodiscard]] std::vector<void*> gather_native_stack();
inline constexpr std::size_t kMaxDepth = 128;

/// Names and places of `addresses`, in the same order; "??" where nothing is known. Each distinct address is looked up
/// once.
[[nodiscard]] std::vector<FrameData> symbolize(std::span<void* const> addresses);

/// Distinct stacks, each stored once. Not safe for several threads at once: the recorder locks.
class StackTable {
public:
  StackIndex add(std::span<void* const> addresses);
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] std::span<void* const> operator[](StackIndex index) const;

private:
  std::vector<void*> addresses_;
  std::vector<std::size_t> begins_;
  std::unordered_multimap<std::uint64_t, StackIndex> index_;
};

/// Looks addresses up as symbolize() does.
using Symbolizer = std::function<std::vector<FrameData>(std::span<void* const>)>;

/// Appends the frames and stacks of `table` to `snapshot`, symbolizing each distinct address once; stack i of the table
/// becomes stack first + i, where first is returned. The recorder's own frames at the innermost end are left out.
StackIndex add_native_stacks(const StackTable& table, SnapshotData& snapshot, const Symbolizer& symbolizer = symbolize);

} // namespace memviz::capture
