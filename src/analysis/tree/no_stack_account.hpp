#pragma once

// Memory without a stack that would show its holder: the one account of it, for every command. Its parts are the
// reasons. One device may have several, because a block that is still in the file shows more than one that is gone.
// Every figure quoted is `total`, with the parts next to it, so that no two commands disagree.

#include "memviz/flame.hpp"

#include <span>
#include <vector>

namespace memviz {

struct NoStackAccount {
  Amount total;                  ///< requested bytes of live memory without a stack
  std::vector<UserLine> reasons; ///< the parts: one Pseudo each, largest first
};

/// Whether the key gives a reason for the missing stack. Pseudo::filtered does not: a stack exists, but its frames are
/// hidden.
[[nodiscard]] bool has_no_stack(const NodeKey& key);

/// Sums the memory without a stack among the lines by which all live memory was ranked (rank_user_lines()).
[[nodiscard]] NoStackAccount no_stack_account(std::span<const UserLine> lines);

/// Returns the same at the moment of `replay`, for each of its devices, in their order.
[[nodiscard]] std::vector<NoStackAccount> no_stack_accounts(const MemoryState& state);

} // namespace memviz
