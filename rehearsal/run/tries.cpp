#include "run/tries.hpp"

#include "io/scratch_file.hpp"
#include "run/change.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

constexpr std::uint64_t kMoreSteps = 3;
constexpr std::chrono::seconds kLeastLimit{60};
constexpr int kTimesAsLong = 4;

Variables variables_of(FitChange change) {
  switch (change) {
  case FitChange::expandable_segments: return allocator_levers().front().variables;
  case FitChange::no_foreach: return {{"MEMVIZ_REHEARSAL_FOREACH", "0"}};
  }
  return {};
}

Setup setup_of(const Setup& setup, const FitVerdict& verdict, std::chrono::seconds took) {
  Setup changed = setup;
  changed.records = false;
  changed.both_ends = false;
  changed.values = verdict.computes_values ? Values::on : Values::off;
  if (!setup.steps) changed.steps = verdict.facts.steps + kMoreSteps;
  changed.most_seconds = static_cast<std::uint64_t>(std::max(kLeastLimit, kTimesAsLong * took).count());
  return changed;
}

/// Whether it ended well and as far as it was to go: a run that the time limit ended shows nothing.
bool has_gone_on(const FitVerdict& verdict, std::uint64_t steps) {
  return verdict.outcome == FitOutcome::fits && (!verdict.facts.is_stopped || verdict.facts.steps >= steps);
}

} // namespace

void try_changes(const Setup& setup, const std::vector<std::string>& words, FitVerdict& verdict,
                 std::chrono::seconds took) {
  if (verdict.outcome != FitOutcome::does_not_fit || !verdict.failure || verdict.facts.server) return;
  const Setup changed = setup_of(setup, verdict, took);
  for (const FitChange change : verdict.failure->changes) {
    setup.say(fmt::format("trying {}", change_name(change)));
    ScratchFile unread;
    Setup quiet = changed;
    quiet.program_output = unread.descriptor();
    quiet.say = [](const std::string&) {};
    const FitVerdict run = rehearse(quiet, words, variables_of(change));
    const DeviceUse* const use = fullest(run.facts);
    if (use != nullptr && has_gone_on(run, *quiet.steps))
      verdict.tried.push_back({.change = change,
                               .left_bytes = use->left_bytes(),
                               .more_steps = run.facts.is_stopped && !setup.steps ? kMoreSteps : 0});
  }
  replace_advice(verdict);
}

} // namespace memviz::rehearse
