#include "memviz/memory_ledger.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memviz {

namespace {

constexpr std::uint64_t kMiB = 1ULL << 20U;
/// The usual maximum that the CUDA context, cuBLAS and NCCL take in a process.
constexpr std::uint64_t kOrdinaryOutsideBytes = 1ULL << 30U;
/// The minimum share of reserved memory, and the minimum bytes, for a verdict when no request failed. Gaps between
/// blocks in use are reused all the time, so they need a larger share.
constexpr std::uint64_t kIdlePercent = 20;
constexpr std::uint64_t kFragmentedPercent = 30;
constexpr std::uint64_t kIdleBytes = 64 * kMiB;
constexpr std::uint64_t kUnaccountedPercent = 5;
/// Rounding below this share of live memory is ordinary.
constexpr std::uint64_t kRoundingPercent = 10;

bool is_at_least(std::uint64_t part, std::uint64_t percent, std::uint64_t whole) {
  return part > 0 && part >= whole / 100 * percent;
}

/// Memory that does not serve the program's requests, and the verdict if it is the reason for a failure.
using Candidate = std::pair<Verdict, std::uint64_t>;
using Candidates = std::array<Candidate, 7>;

Candidates causes(const MemoryLedger& ledger) {
  const FreeRoom& room = ledger.room;
  const bool rounds_much = is_at_least(ledger.rounding_bytes, kRoundingPercent, ledger.live_bytes);
  return {Candidate{Verdict::fragmentation, room.hard_bytes},
          Candidate{Verdict::idle, room.soft_bytes},
          Candidate{Verdict::size_class, room.other_size_bytes},
          Candidate{Verdict::stream, room.stream_bytes},
          Candidate{Verdict::private_pool, room.private_pool_bytes},
          Candidate{Verdict::pending_free, ledger.pending_bytes},
          Candidate{Verdict::rounding, rounds_much ? ledger.rounding_bytes : 0}};
}

Candidate largest_of(const Candidates& candidates) {
  return *std::ranges::max_element(
      candidates, [](const Candidate& left, const Candidate& right) { return left.second < right.second; });
}

bool is_outside_to_blame(const MemoryLedger& ledger, const Judgement& judgement) {
  if (!ledger.outside_bytes || *ledger.outside_bytes <= kOrdinaryOutsideBytes) return false;
  const std::uint64_t unusual = *ledger.outside_bytes - kOrdinaryOutsideBytes;
  return judgement.reachable_bytes + unusual >= judgement.alone_bytes &&
         *ledger.outside_bytes >= *ledger.capacity_bytes / 10;
}

/// Judges a request for which the device had no memory left: what else would have been enough for it?
void find_cause(const MemoryLedger& ledger, Judgement& judgement) {
  const std::uint64_t device_free = *ledger.device_free_bytes;
  const Candidates found = causes(ledger);
  Candidates sufficient = found;
  for (Candidate& cause : sufficient) {
    // Whole segments and pages can return as they are; all other free memory would have to be contiguous.
    const std::uint64_t enough = cause.first == Verdict::idle ? judgement.needed_bytes : judgement.alone_bytes;
    if (device_free + cause.second < enough) cause.second = 0;
  }
  if (const Candidate best = largest_of(sufficient); best.second > 0) {
    judgement.verdict = best.first;
  } else if (judgement.reachable_bytes >= judgement.alone_bytes ||
             (judgement.reachable_bytes + ledger.rounding_bytes >= judgement.alone_bytes && found.back().second > 0)) {
    judgement.verdict = largest_of(found).first;
    judgement.only_together = true;
  } else if (is_outside_to_blame(ledger, judgement)) {
    judgement.verdict = Verdict::outside;
  } else {
    judgement.verdict = Verdict::exhaustion;
    judgement.capacity_matters = !ledger.capacity_bytes;
  }
}

Judgement judge_failure(const MemoryLedger& ledger, const Request& request, const AllocatorSettings& settings) {
  Judgement judgement;
  const std::uint64_t device_free = ledger.device_free_bytes.value_or(0);
  judgement.needed_bytes = ledger.needed_bytes;
  judgement.alone_bytes = needed_alone_bytes(settings, request.bytes, request.pool);
  judgement.missing_bytes = judgement.needed_bytes > device_free ? judgement.needed_bytes - device_free : 0;
  judgement.reachable_bytes = device_free + ledger.room.total_bytes() + ledger.pending_bytes;
  judgement.verdict = Verdict::unclear;
  const bool contradicts = (ledger.capacity_bytes && !ledger.outside_bytes) ||
                           is_at_least(ledger.unaccounted_bytes, kUnaccountedPercent, ledger.reserved_bytes);
  if (judgement.needed_bytes == 0 && ledger.late_free_bytes > 0 && !contradicts) {
    judgement.verdict = Verdict::pending_free;
    return judgement;
  }
  // There was room in one piece, or the figures that would show it are missing: the reason is not in this file.
  if (!ledger.device_free_bytes || contradicts || judgement.missing_bytes == 0) return judgement;
  find_cause(ledger, judgement);
  return judgement;
}

/// Judges a state without a failed request: is reserved memory used, and if not, why is it kept?
Judgement judge_state(const MemoryLedger& ledger) {
  Judgement judgement;
  if (ledger.reserved_bytes == 0) return judgement;
  judgement.verdict = Verdict::unclear;
  if (is_at_least(ledger.unaccounted_bytes, kUnaccountedPercent, ledger.reserved_bytes)) return judgement;
  judgement.verdict = Verdict::in_use;
  const auto [verdict, bytes] = largest_of(causes(ledger));
  const std::uint64_t unused = ledger.reserved_bytes - std::min(ledger.reserved_bytes, ledger.live_bytes);
  if (bytes < kIdleBytes || !is_at_least(unused, kIdlePercent, ledger.reserved_bytes)) return judgement;
  const bool is_much =
      verdict != Verdict::fragmentation || is_at_least(bytes, kFragmentedPercent, ledger.reserved_bytes);
  if (is_much) judgement.verdict = verdict;
  return judgement;
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
  case Verdict::exhaustion: return "exhaustion";
  case Verdict::fragmentation: return "fragmentation";
  case Verdict::size_class: return "size_class";
  case Verdict::stream: return "stream";
  case Verdict::private_pool: return "private_pool";
  case Verdict::pending_free: return "pending_free";
  case Verdict::rounding: return "rounding";
  case Verdict::outside: return "outside";
  case Verdict::unclear: return "unclear";
  case Verdict::idle: return "idle";
  case Verdict::in_use: return "in_use";
  case Verdict::empty: return "empty";
  }
  return "";
}

Judgement judge(const MemoryLedger& ledger, const std::optional<Request>& request, const AllocatorSettings& settings) {
  return request ? judge_failure(ledger, *request, settings) : judge_state(ledger);
}

} // namespace memviz
