#include "memviz/memory_ledger.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memviz {

namespace {

/// What the CUDA context, cuBLAS and NCCL take in any process: no more than this is ordinary.
constexpr std::uint64_t kOrdinaryOutsideBytes = 1ULL << 30U;
/// A smaller share that is free, or that no block covers, is not worth a verdict.
constexpr std::uint64_t kIdlePercent = 20;
constexpr std::uint64_t kUnaccountedPercent = 5;

bool is_at_least(std::uint64_t part, std::uint64_t percent, std::uint64_t whole) {
  return part > 0 && part >= whole / 100 * percent;
}

/// A kind of free memory that the request could not use, and the verdict if that is why it failed.
using Cause = std::pair<Verdict, std::uint64_t>;

std::array<Cause, 4> causes(const MemoryLedger& ledger) {
  const FreeRoom& room = ledger.room;
  return {Cause{Verdict::fragmentation, room.hard_bytes + room.soft_bytes + room.other_size_bytes},
          Cause{Verdict::stream, room.stream_bytes}, Cause{Verdict::private_pool, room.private_pool_bytes},
          Cause{Verdict::pending_free, ledger.pending_bytes}};
}

Cause largest_of(const std::array<Cause, 4>& candidates) {
  return *std::max_element(candidates.begin(), candidates.end(),
                           [](const Cause& left, const Cause& right) { return left.second < right.second; });
}

bool is_outside_to_blame(const MemoryLedger& ledger, const Judgement& judgement, std::uint64_t request_bytes) {
  if (!ledger.outside_bytes || *ledger.outside_bytes <= kOrdinaryOutsideBytes) return false;
  const std::uint64_t unusual = *ledger.outside_bytes - kOrdinaryOutsideBytes;
  return judgement.reachable_bytes + unusual >= request_bytes && *ledger.outside_bytes >= *ledger.capacity_bytes / 10;
}

Judgement judge_failure(const MemoryLedger& ledger, const Request& request, const AllocatorSettings& settings) {
  Judgement judgement;
  const std::uint64_t device_free = ledger.device_free_bytes.value_or(0);
  judgement.needed_bytes = needed_of_device(ledger, request, settings);
  judgement.missing_bytes = judgement.needed_bytes > device_free ? judgement.needed_bytes - device_free : 0;
  judgement.reachable_bytes = device_free + ledger.room.total_bytes() + ledger.pending_bytes;
  judgement.verdict = Verdict::unclear;
  const bool contradicts = (ledger.capacity_bytes && !ledger.outside_bytes) ||
                           is_at_least(ledger.unaccounted_bytes, kUnaccountedPercent, ledger.reserved_bytes);
  // Room enough in one piece, or none of the figures that would tell: then the reason is not in this file.
  if (!ledger.device_free_bytes || contradicts || judgement.missing_bytes == 0) return judgement;
  if (ledger.largest_hole_bytes >= request.bytes && request.bytes < settings.max_split_bytes) return judgement;

  const auto found = causes(ledger);
  auto sufficient = found;
  for (Cause& cause : sufficient)
    if (device_free + cause.second < request.bytes) cause.second = 0;
  if (const Cause best = largest_of(sufficient); best.second > 0) {
    judgement.verdict = best.first;
  } else if (judgement.reachable_bytes >= request.bytes) {
    judgement.verdict = largest_of(found).first;
    judgement.only_together = true;
  } else if (is_outside_to_blame(ledger, judgement, request.bytes)) {
    judgement.verdict = Verdict::outside;
  } else {
    judgement.verdict = Verdict::exhaustion;
    judgement.capacity_matters = !ledger.capacity_bytes;
  }
  return judgement;
}

/// Nothing failed: is what is reserved used, and if not, why is it kept?
Judgement judge_state(const MemoryLedger& ledger) {
  Judgement judgement;
  if (ledger.reserved_bytes == 0) return judgement;
  const std::uint64_t unused = ledger.room.total_bytes() + ledger.pending_bytes;
  judgement.verdict = Verdict::unclear;
  if (is_at_least(ledger.unaccounted_bytes, kUnaccountedPercent, ledger.reserved_bytes)) return judgement;
  judgement.verdict = Verdict::in_use;
  if (!is_at_least(unused, kIdlePercent, ledger.reserved_bytes)) return judgement;
  judgement.verdict = largest_of(causes(ledger)).first;
  // Wholly free segments are a cache that empty_cache() returns: nothing is wrong with them.
  const FreeRoom& room = ledger.room;
  if (judgement.verdict == Verdict::fragmentation && room.soft_bytes > room.hard_bytes)
    judgement.verdict = Verdict::idle;
  return judgement;
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
  case Verdict::exhaustion: return "exhaustion";
  case Verdict::fragmentation: return "fragmentation";
  case Verdict::stream: return "stream";
  case Verdict::private_pool: return "private_pool";
  case Verdict::pending_free: return "pending_free";
  case Verdict::outside: return "outside";
  case Verdict::unclear: return "unclear";
  case Verdict::idle: return "idle";
  case Verdict::in_use: return "in_use";
  case Verdict::empty: return "empty";
  }
  return "";
}

std::uint64_t needed_of_device(const MemoryLedger& ledger, const Request& request, const AllocatorSettings& settings) {
  if (!settings.expandable_segments) return new_segment_bytes(request.bytes);
  if (ledger.growable_hole_bytes >= request.bytes) return 0;
  const std::uint64_t page = page_bytes(request.is_small());
  return (request.bytes - ledger.growable_hole_bytes + page - 1) / page * page;
}

Judgement judge(const MemoryLedger& ledger, const std::optional<Request>& request, const AllocatorSettings& settings) {
  return request ? judge_failure(ledger, *request, settings) : judge_state(ledger);
}

} // namespace memviz
