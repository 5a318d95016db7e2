#include "verdict/fit.hpp"

#include <algorithm>
#include <map>

namespace memviz::rehearse {

namespace {

constexpr int kBadData = 1;
constexpr int kDoesNotFit = 3;

} // namespace

FitOutcome outcome_of(const Ending& ending, const RunFacts& facts) {
  const auto& server = facts.server;
  if (facts.oom_count > 0 || (server && is_memory_error(server->error))) return FitOutcome::does_not_fit;
  if (server && server->is_ended) return FitOutcome::fits;
  if (!ending.is_good() || facts.waits_at || (server && !server->has_started)) return FitOutcome::failed;
  return facts.used_cuda ? FitOutcome::fits : FitOutcome::no_gpu;
}

int exit_code(const FitVerdict& verdict) {
  switch (verdict.outcome) {
  case FitOutcome::fits: return 0;
  case FitOutcome::does_not_fit: return kDoesNotFit;
  case FitOutcome::failed: return verdict.ending.code();
  case FitOutcome::no_gpu: break;
  }
  return kBadData;
}

const DeviceUse* fullest(const RunFacts& facts) {
  const auto found = std::ranges::min_element(
      facts.uses, [](const DeviceUse& one, const DeviceUse& other) { return one.left_bytes() < other.left_bytes(); });
  return found == facts.uses.end() ? nullptr : &*found;
}

std::uint64_t peak_of(const FitVerdict& verdict) {
  const DeviceUse* const use = fullest(verdict.facts);
  return use == nullptr ? 0 : use->peak_bytes;
}

std::vector<SharedDevice> shared_devices(const RunFacts& facts) {
  std::map<DeviceId, SharedDevice> devices;
  for (const DeviceUse& use : facts.uses) {
    SharedDevice& shared = devices[use.device];
    shared.device = use.device;
    ++shared.processes;
    shared.peak_bytes = std::max(shared.peak_bytes, use.most_bytes());
    shared.total_bytes = use.total_bytes;
  }
  std::vector<SharedDevice> list;
  for (const auto& [device, shared] : devices)
    if (shared.processes > 1) list.push_back(shared);
  return list;
}

bool is_answer(const FitVerdict& verdict) {
  return (verdict.outcome == FitOutcome::fits || verdict.outcome == FitOutcome::does_not_fit) &&
         verdict.facts.needed_ranks.empty();
}

} // namespace memviz::rehearse
