#include "memviz/kind_shares.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {

void add_share(KindShares& shares, const KindShare& more) {
  const auto known = std::ranges::find_if(shares, [&](const KindShare& one) { return one.kind == more.kind; });
  if (known == shares.end())
    shares.push_back(more);
  else
    known->amount += more.amount;
}

void add_shares(KindShares& shares, const KindShares& more) {
  for (const KindShare& share : more)
    add_share(shares, share);
}

bool has_known_kind(const KindShares& shares) {
  return std::ranges::any_of(
      shares, [](const KindShare& share) { return share.kind.kind != MemoryKind::unknown && share.amount.bytes > 0; });
}

std::uint64_t shared_bytes(const KindShares& shares) {
  std::uint64_t bytes = 0;
  for (const KindShare& share : shares)
    bytes += share.amount.bytes;
  return bytes;
}

Amount amount_of_kind(const KindShares& shares, MemoryKind kind) {
  Amount amount;
  for (const KindShare& share : shares)
    if (share.kind.kind == kind) amount += share.amount;
  return amount;
}

std::optional<MemoryKind> main_kind(const KindShares& shares, std::uint64_t whole_bytes) {
  for (std::size_t i = 0; i < kMemoryKinds; ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    const std::uint64_t bytes = amount_of_kind(shares, kind).bytes;
    if (bytes > 0 && bytes <= whole_bytes && whole_bytes - bytes <= whole_bytes / 10) return kind;
  }
  return std::nullopt;
}

} // namespace memviz
