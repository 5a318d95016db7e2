#pragma once

// Memory of which no stack shows who holds it: the one account of it, for every command. Its parts are the reasons why,
// and may be several for one device: a block that is still in the file shows more than one that is gone. So whoever
// names a figure of it names `total`, and the parts besides it: then two commands never have two figures for one thing.

#include "memviz/flame.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

struct NoStackAccount {
  Amount total;                  ///< requested bytes of what lives and has no stack
  std::vector<UserLine> reasons; ///< the parts: a Pseudo each, largest first
};

/// Whether the key says that there is no stack, and why. Pseudo::filtered does not: there is one, of hidden frames.
[[nodiscard]] bool has_no_stack(const NodeKey& key);

/// Accounts for memory without a stack among the lines by which all live memory was ranked (rank_user_lines()).
[[nodiscard]] NoStackAccount no_stack_account(std::span<const UserLine> lines);

/// The same at the moment of `replay`, of each of its devices, in their order.
[[nodiscard]] std::vector<NoStackAccount> no_stack_accounts(const MemoryState& state);

} // namespace memviz
