#pragma once

// The figures that several sentences of an explanation use or depend on: one figure for each fact.

#include "memviz/explain.hpp"

#include <cstdint>

namespace memviz {

/// Returns the bytes in use, as PyTorch's active_allocated counts them: requested, and the rounding.
[[nodiscard]] std::uint64_t in_use_bytes(const MemoryLedger& ledger);
/// Whether four fifths of reserved memory are in use or awaiting free.
[[nodiscard]] bool is_mostly_used(const MemoryLedger& ledger);

/// Whether nothing is known about its memory except the part in use.
[[nodiscard]] bool is_uncached(const DeviceState& device_state);
/// Whether a request failed while almost all of PyTorch's memory was live, whatever else was in its way.
[[nodiscard]] bool is_nearly_full(const DeviceExplanation& device);

/// Returns the bytes that the device could have given PyTorch, had the program held nothing.
[[nodiscard]] std::uint64_t within_reach_bytes(const MemoryLedger& ledger);
/// Whether freeing all of the program's memory would not have made room.
[[nodiscard]] bool is_out_of_reach(const DeviceExplanation& device);

/// Returns the bytes that were missing when a request failed: if memory was exhausted, what all free memory together
/// lacked, else what the device lacked.
[[nodiscard]] std::uint64_t short_bytes(const DeviceExplanation& device);

/// Returns the bytes that less would be reserved at the moment if this had been so.
[[nodiscard]] std::uint64_t saved_bytes(const DeviceExplanation& device, const WhatIf& answer);

} // namespace memviz
