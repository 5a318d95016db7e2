#pragma once

// Amounts of each kind of memory, and their changes -> words for people.

#include "memviz/kind_shares.hpp"
#include "memviz/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// "parameters", "optimizer state", "activations", ...; "unknown memory".
[[nodiscard]] std::string_view kind_words(MemoryKind kind);

/// "activations +4.10 GiB, gradients +102 MiB": the changes, largest first, without those below a hundredth of the
/// largest; "" if there are none. Names at most `most` of them and counts the rest: "and 2 more".
[[nodiscard]] std::string kind_changes_text(const std::vector<KindChange>& changes,
                                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// Sums `shares` by kind.
[[nodiscard]] KindAccount kind_account(const KindShares& shares);

struct KindPart {
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t bytes = 0;
};
/// Returns the kinds that have bytes, largest first, and the unknown rest last. They add up to the total.
[[nodiscard]] std::vector<KindPart> kind_parts(const KindAccount& account);
/// Whether the kind of at least half of the bytes is known.
[[nodiscard]] bool is_mostly_known(const KindAccount& account);
/// "71 % activations, 20 % optimizer state, 8 % parameters; 1.2 % unknown": omits parts below a hundredth; "" if
/// all is unknown.
[[nodiscard]] std::string kind_shares_text(const KindAccount& account);

} // namespace memviz
