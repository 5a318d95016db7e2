#pragma once

// Why a block has no stack: the first question of everybody who sees a large box without a name.

#include "memviz/replay.hpp"
#include "memviz/tree.hpp"

#include <cstdint>

namespace memviz {

class NoStackReasons {
public:
  NoStackReasons(const Snapshot& snapshot, const Replay& replay);

  /// For an active block, by its index in Snapshot::blocks, whose stack is empty.
  [[nodiscard]] Pseudo reason(std::uint32_t device, std::uint32_t block) const;
  /// For memory of `device` that no recorded alloc explains.
  [[nodiscard]] Pseudo unexplained(std::uint32_t device) const;

private:
  [[nodiscard]] bool is_from_before(std::uint32_t device) const;
  [[nodiscard]] const DeviceStats* stats_of(std::uint32_t device) const;

  const Snapshot& snapshot_;
  const Replay& replay_;
  bool is_history_off_;
  bool has_cpp_frames_ = false;
};

} // namespace memviz
