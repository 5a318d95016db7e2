#pragma once

// Totals and warnings of a snapshot -> sentences: the account of its bytes, and how to get the stacks that are missing.

#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/story.hpp"

#include <string>
#include <vector>

namespace memviz {

/// "Accounts balance: 182 KiB before recording + ... = ...", or by how much they do not.
[[nodiscard]] std::string balance_text(const DeviceStats& stats);

/// One account where all devices balance, else one for each that does not: their errors might cancel.
[[nodiscard]] std::vector<Account> accounts_of(const std::vector<DeviceStats>& devices);

/// A sentence for each reason why bytes have no stack, with what helps; only for reasons that weigh something.
[[nodiscard]] std::vector<std::string> missing_stack_notes(const std::vector<UserLine>& users,
                                                           std::uint64_t requested_bytes);

} // namespace memviz
