#pragma once

// Totals of a snapshot -> the account of its bytes, in the form that each output has room for, and how to get missing
// stacks. No other code says whether accounts balance.

#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/story.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "before recording", or if that is not certain "before recording or lost in the ring": when the memory of
/// baseline_bytes was allocated.
[[nodiscard]] std::string_view baseline_text(const DeviceFigures& figures);

/// "balanced", or in capitals "NOT BALANCED".
[[nodiscard]] std::string_view balance_word(bool balances);
/// For a cell: the word, and if needed ": off by -4096 B".
[[nodiscard]] std::string balance_cell(const DeviceFigures& figures);
/// For a line: "balanced: 182 KiB before recording + ... = ... requested at the end", or by how much they are off.
[[nodiscard]] std::string balance_line(const DeviceFigures& figures);
/// Returns by how much accounts do not balance, and what that means for the trace.
[[nodiscard]] std::string imbalance_warning(const DeviceState& device_state);

/// For a picture: "Accounts balance: 182 KiB before recording + ... = ...", or by how much they are off.
[[nodiscard]] std::string balance_text(const DeviceFigures& figures);

/// Returns one account if all devices balance, else one for each that does not: their errors might cancel out.
[[nodiscard]] std::vector<Account> accounts_of(std::span<const DeviceState> devices);

/// Returns a sentence for each reason why bytes have no stack, with a remedy; only for reasons that matter.
[[nodiscard]] std::vector<std::string> missing_stack_notes(const std::vector<UserLine>& users,
                                                           std::uint64_t requested_bytes);
/// Returns how to record who holds the memory, if at least half of it has no stack because the history was not
/// recorded; "" otherwise.
[[nodiscard]] std::string recording_advice(const std::vector<UserLine>& users, std::uint64_t requested_bytes);

} // namespace memviz
