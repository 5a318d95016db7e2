#pragma once

// The account of memory without a stack -> its reasons in words.

#include "analysis/tree/no_stack_account.hpp"

#include <string>

namespace memviz {

/// "allocated before recording" of "<no stack: allocated before recording>".
[[nodiscard]] std::string reason_text(const NodeKey& reason);

/// "no stack: allocated before recording"; for several reasons "no stack: 12.7 GiB allocated before recording, 11.5 GiB
/// allocated before recording or lost in the ring".
[[nodiscard]] std::string no_stack_text(const NoStackAccount& account);

} // namespace memviz
