#pragma once

// Block -> the line of the user's own code that allocated it.

#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/no_stack.hpp"
#include "memviz/flame.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

class LineAmounts;

/// The inner lines of a line that are shown: at most this many, each with at least this share of its bytes.
inline constexpr std::size_t kMostWithin = 3;
inline constexpr std::uint64_t kLeastPartWithin = 20;

/// Returns the largest inner lines of a line that holds `whole_bytes`.
[[nodiscard]] std::vector<InnerLine> largest_within(const std::map<FrameId, Amount>& within, std::uint64_t whole_bytes,
                                                    const FrameOrder& order);

class UserLines {
public:
  UserLines(const MemoryState& state) : state_(state), no_stack_(state), finder_(state.frames()) {}

  /// Returns the frame of rank_user_lines() for an active block, given by its index in MemoryMap::blocks, or the reason
  /// why there is none.
  [[nodiscard]] NodeKey line_of(DeviceId device, std::uint32_t block);
  [[nodiscard]] NodeKey line_of(DeviceId device, const OutsideMemory& outside);
  /// Returns the line of an event's stack.
  [[nodiscard]] NodeKey line_of(StackId stack) { return finder_.line_of(stack); }
  [[nodiscard]] std::optional<FrameId> inner_line_of(StackId stack) { return finder_.inner_line_of(stack); }
  /// Adds the bytes that `line` holds by a stack to its inner line for that stack, if there is one.
  void add_within(LineAmounts& amounts, const NodeKey& line, StackId stack, const Amount& amount);

private:
  const MemoryState& state_;
  NoStackReasons no_stack_;
  UserLineFinder finder_;
};

/// Bytes and blocks by line.
class LineAmounts {
public:
  void add(const NodeKey& line, const Amount& amount) { held_[line].amount += amount; }
  void add(const NodeKey& line, const KindShare& share) {
    add(line, share.amount);
    add_share(held_[line].kinds, share);
  }
  /// Adds a part of what add() counted for `line`.
  void add_within(const NodeKey& line, FrameId inner, const Amount& amount);
  /// Largest first, then in the order of labels.
  [[nodiscard]] std::vector<UserLine> ranked(const FrameOrder& order) const;

private:
  struct Held {
    Amount amount;
    KindShares kinds;
    std::map<FrameId, Amount> within;
  };

  std::map<NodeKey, Held> held_;
};

} // namespace memviz
