#pragma once

// Bytes by kind and by the evidence for the kind: of a line, of a box, of a device.

#include "memviz/memory_kind.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

struct KindShare {
  KindOf kind;
  Amount amount;
  friend bool operator==(const KindShare&, const KindShare&) = default;
};

/// Each KindOf once, in the order of first use; unknown is one of them. Empty if kinds were not requested.
using KindShares = std::vector<KindShare>;

void add_share(KindShares& shares, const KindShare& more);
void add_shares(KindShares& shares, const KindShares& more);

[[nodiscard]] bool has_known_kind(const KindShares& shares);
/// Returns the bytes of all shares.
[[nodiscard]] std::uint64_t shared_bytes(const KindShares& shares);
/// Returns the amount of one kind, over all evidence.
[[nodiscard]] Amount amount_of_kind(const KindShares& shares, MemoryKind kind);
/// Returns the kind, or unknown, of at least 90 % of `whole_bytes`; nullopt if there is none.
[[nodiscard]] std::optional<MemoryKind> main_kind(const KindShares& shares, std::uint64_t whole_bytes);

} // namespace memviz
