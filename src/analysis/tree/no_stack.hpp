#pragma once

// Why a block has no stack: the first question about a large box without a name.

#include "memviz/replay.hpp"
#include "memviz/tree.hpp"

#include <cstdint>

namespace memviz {

class NoStackReasons {
public:
  explicit NoStackReasons(const MemoryState& state);

  /// Returns the reason for an active block, given by index, whose stack is empty.
  [[nodiscard]] Pseudo reason(DeviceId device, std::uint32_t block) const;
  /// Returns the reason for memory of `device` that no recorded alloc explains; `is_kept`: it still exists at the end.
  [[nodiscard]] Pseudo unexplained(DeviceId device, bool is_kept) const;
  /// Returns the reason for memory outside all segments without a stack.
  [[nodiscard]] Pseudo reason(DeviceId device, const OutsideMemory& outside) const;

private:
  [[nodiscard]] bool are_stacks_recorded(DeviceId device) const;

  const MemoryState& state_;
  bool is_history_off_;
  bool has_cpp_frames_ = false;
};

} // namespace memviz
