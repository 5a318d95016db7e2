#include "memviz/fit.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

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
  const auto found =
      std::min_element(facts.uses.begin(), facts.uses.end(), [](const DeviceUse& one, const DeviceUse& other) {
        return one.left_bytes() < other.left_bytes();
      });
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
    shared.peak_bytes += use.peak_bytes;
    shared.total_bytes = use.total_bytes;
  }
  std::vector<SharedDevice> list;
  for (const auto& [device, shared] : devices)
    if (shared.processes > 1) list.push_back(shared);
  return list;
}

const SearchRun& answering_run(const SearchReport& report) {
  const auto found = std::find_if(report.runs.begin(), report.runs.end(),
                                  [&](const SearchRun& run) { return run.value == report.largest; });
  return found == report.runs.end() ? report.runs.back() : *found;
}

const RankRun& deciding_run(const RanksReport& report) {
  const auto first = [&](auto holds) {
    return std::find_if(report.runs.begin(), report.runs.end(), [&](const RankRun& run) { return holds(run.verdict); });
  };
  const auto does_not_fit =
      first([](const FitVerdict& verdict) { return verdict.outcome == FitOutcome::does_not_fit; });
  // Ranks that wait for one that ran out of memory fail as a consequence.
  if (does_not_fit != report.runs.end()) return *does_not_fit;
  const auto failed = first([](const FitVerdict& verdict) { return verdict.outcome != FitOutcome::fits; });
  if (failed != report.runs.end()) return *failed;
  const auto left = [](const FitVerdict& verdict) {
    const DeviceUse* const use = fullest(verdict.facts);
    return use == nullptr ? std::numeric_limits<std::uint64_t>::max() : use->left_bytes();
  };
  return *std::min_element(report.runs.begin(), report.runs.end(), [&](const RankRun& one, const RankRun& other) {
    return left(one.verdict) < left(other.verdict);
  });
}

const Profile& profile_of(const RanksReport& report) {
  return report.runs.front().verdict.profile;
}

namespace {

/// Returns the GPU with the least memory among those with this outcome; null if there is none.
const RanksReport* smallest(const GpusReport& report, FitOutcome outcome) {
  const auto found = std::find_if(report.gpus.rbegin(), report.gpus.rend(),
                                  [&](const RanksReport& gpu) { return deciding_run(gpu).verdict.outcome == outcome; });
  return found == report.gpus.rend() ? nullptr : &*found;
}

} // namespace

const RanksReport& answering_gpu(const GpusReport& report) {
  const RanksReport* const fits = smallest(report, FitOutcome::fits);
  return fits == nullptr ? report.gpus.front() : *fits;
}

int exit_code(const GpusReport& report) {
  if (smallest(report, FitOutcome::fits) == nullptr && smallest(report, FitOutcome::does_not_fit) != nullptr)
    return kDoesNotFit;
  return exit_code(deciding_run(answering_gpu(report)).verdict);
}

namespace {

/// The tokens of a server's KV cache and of its longest request, which differ although its peak does not.
std::pair<std::uint64_t, std::uint64_t> tokens_of(const FitVerdict& verdict) {
  const auto& server = verdict.facts.server;
  if (!server) return {};
  return {server->cache_tokens.value_or(0), server->request_tokens.value_or(0)};
}

} // namespace

bool makes_no_difference(const SearchReport& report) {
  return report.has_answer && report.runs.size() == 2 && report.largest == report.range.high &&
         peak_of(report.runs[0].verdict) == peak_of(report.runs[1].verdict) &&
         tokens_of(report.runs[0].verdict) == tokens_of(report.runs[1].verdict);
}

} // namespace memviz::rehearse
