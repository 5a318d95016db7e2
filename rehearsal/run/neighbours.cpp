#include "run/neighbours.hpp"

#include "verdict/fit_doubt_words.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memviz::rehearse {

namespace {

/// Returns what all processes of a program take of each device at one time, with what others have of it, from its first
/// device on; without what the system has of the first.
std::vector<std::uint64_t> taken_by(const RunFacts& facts, std::uint64_t system_bytes,
                                    std::vector<std::uint64_t> before) {
  std::map<std::uint32_t, std::uint64_t> sums; // of processes that did not say what was taken with others
  for (const DeviceUse& use : facts.uses) {
    const std::uint32_t device = use.device.value;
    if (device >= before.size()) before.resize(device + 1);
    if (use.peak_all_bytes == 0) sums[device] += use.peak_bytes;
  }
  std::vector<std::uint64_t> taken = before;
  for (const DeviceUse& use : facts.uses) {
    std::uint64_t& bytes = taken[use.device.value];
    const std::uint64_t of_system = use.device.value == 0 ? system_bytes : 0;
    if (use.peak_all_bytes > of_system) bytes = std::max(bytes, use.peak_all_bytes - of_system);
  }
  for (const auto& [device, bytes] : sums)
    taken[device] = std::max(taken[device], before[device] + bytes);
  return taken;
}

/// Returns the most that was added to any device.
std::uint64_t most_added(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) {
  std::uint64_t most_bytes = 0;
  for (std::size_t device = 0; device < after.size(); ++device)
    most_bytes = std::max(most_bytes, after[device] - (device < before.size() ? before[device] : 0));
  return most_bytes;
}

} // namespace

Neighbours rehearse_neighbours(const Setup& setup, const std::vector<std::string>& commands) {
  Neighbours result;
  for (const std::string& command : commands) {
    Setup own = setup;
    own.output = setup.output / ("share-" + std::to_string(result.there.size() + 1));
    own.other_bytes = result.taken_bytes;
    FitVerdict verdict = rehearse(own, {"/bin/sh", "-c", command}, {});
    if (!is_answer(verdict) || verdict.outcome != FitOutcome::fits) {
      verdict.neighbour = command;
      verdict.neighbours = result.there;
      result.refused = std::move(verdict);
      return result;
    }
    std::vector<std::uint64_t> taken = taken_by(verdict.facts, setup.profile.system_bytes, result.taken_bytes);
    result.there.push_back({command, most_added(result.taken_bytes, taken), is_sure(verdict)});
    result.taken_bytes = std::move(taken);
  }
  return result;
}

} // namespace memviz::rehearse
