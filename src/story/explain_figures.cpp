#include "story/explain_figures.hpp"

#include <algorithm>

namespace memviz {

std::uint64_t in_use_bytes(const MemoryLedger& ledger) {
  return ledger.live_bytes + ledger.rounding_bytes;
}

bool is_mostly_used(const MemoryLedger& ledger) {
  return in_use_bytes(ledger) + ledger.pending_bytes >= ledger.reserved_bytes / 5 * 4;
}

bool is_uncached(const DeviceState& device_state) {
  return device_state.device_kind == DeviceKind::cpu && !is_host(device_state.device);
}

bool is_nearly_full(const DeviceExplanation& device) {
  return device.request && device.ledger.live_bytes >= device.ledger.reserved_bytes / 20 * 19;
}

std::uint64_t within_reach_bytes(const MemoryLedger& ledger) {
  return ledger.reserved_bytes + ledger.device_free_bytes.value_or(0);
}

bool is_out_of_reach(const DeviceExplanation& device) {
  return device.judgement.verdict == Verdict::exhaustion && device.request->bytes > within_reach_bytes(device.ledger);
}

std::uint64_t short_bytes(const DeviceExplanation& device) {
  const Judgement& judgement = device.judgement;
  if (judgement.verdict != Verdict::exhaustion) return judgement.missing_bytes;
  const bool is_of_request = device.request->bytes > judgement.reachable_bytes;
  return (is_of_request ? device.request->bytes : judgement.alone_bytes) - judgement.reachable_bytes;
}

std::uint64_t saved_bytes(const DeviceExplanation& device, const WhatIf& answer) {
  const std::uint64_t reserved_bytes = device.ledger.reserved_bytes;
  return reserved_bytes - std::min(reserved_bytes, answer.reserved_bytes.value_or(0));
}

} // namespace memviz
