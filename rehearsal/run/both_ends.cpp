#include "run/both_ends.hpp"

#include "verdict/fit_words.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <system_error>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// Whether `run` decides: a run that gives no answer or does not fit, or else the one with the higher peak.
bool takes_more(const FitVerdict& run, const FitVerdict& than) {
  if (run.outcome != than.outcome) return than.outcome == FitOutcome::fits;
  return peak_of(run) > peak_of(than);
}

bool differ(const FitVerdict& first, const FitVerdict& second) {
  return second.outcome != first.outcome || peak_of(second) != peak_of(first);
}

/// Removes the snapshots of a second run that equals the first.
void remove_if_alike(const std::vector<FitVerdict>& first, const std::vector<FitVerdict>& second,
                     const fs::path& folder) {
  std::error_code ignored;
  if (std::equal(first.begin(), first.end(), second.begin(), second.end(), std::not_fn(differ)))
    fs::remove_all(folder, ignored);
}

FitVerdict deciding_end(FitVerdict earliest, FitVerdict latest) {
  const bool is_latest = takes_more(latest, earliest);
  FitVerdict& other = is_latest ? earliest : latest;
  const OtherEnd end{.is_latest = !is_latest, .outcome = other.outcome, .peak_bytes = peak_of(other)};
  FitVerdict verdict = is_latest ? std::move(latest) : std::move(earliest);
  verdict.other_end = end;
  return verdict;
}

std::vector<FitVerdict> rehearse_both_ends(const Setup& setup, const RunOneWay& run) {
  std::vector<FitVerdict> verdicts = run(setup, {});
  if (!setup.both_ends || !std::ranges::all_of(verdicts, is_answer)) return verdicts;
  Setup late = setup;
  late.output = setup.output / "late";
  std::vector<FitVerdict> latest = run(late, {{"MEMVIZ_REHEARSAL_EVENTS", "late"}});
  remove_if_alike(verdicts, latest, late.output);
  for (std::size_t index = 0; index < verdicts.size(); ++index)
    verdicts[index] = deciding_end(std::move(verdicts[index]), std::move(latest[index]));
  return verdicts;
}

/// Whether values other than zeros may change the control flow of the process.
bool may_decide(const FitVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  return !facts.decisions.empty() && !facts.server && facts.needed_ranks.empty() && facts.interrupted_at.empty() &&
         verdict.ending.signal == 0;
}

/// Whether some of the values are made up. Unknown ones are zeros in both runs.
bool has_made_up(const FitVerdict& verdict) {
  const std::vector<ReadLine>& decisions = verdict.facts.decisions;
  return std::ranges::any_of(decisions, [](const ReadLine& read) { return read.made_up_count > 0; });
}

/// Returns how computing values changed a run, other than by what the program reads.
Disturbance disturbance_of(const FitVerdict& zeros, const FitVerdict& values) {
  if (zeros.facts.compiled_frames > 0 && values.facts.compiled_frames == 0) return Disturbance::compiler;
  const bool has_cause = !is_answer(zeros) || !is_answer(values) || values.facts.other_reads > 0;
  return !has_cause && differ(zeros, values) ? Disturbance::unread : Disturbance::none;
}

/// Whether the run with values is the answer, rather than the one with zeros.
bool prefers_values(const FitVerdict& zeros, const FitVerdict& values) {
  if (disturbance_of(zeros, values) != Disturbance::none) return false;
  if (!is_answer(values)) return zeros.facts.waits_at.has_value();
  return !is_answer(zeros) || (differ(zeros, values) && (!has_made_up(values) || takes_more(values, zeros)));
}

FitVerdict deciding_values(FitVerdict zeros, FitVerdict values) {
  const Disturbance disturbance = disturbance_of(zeros, values);
  const bool is_range =
      is_answer(zeros) && is_answer(values) && has_made_up(values) && disturbance == Disturbance::none;
  const bool is_values = prefers_values(zeros, values);
  FitVerdict& other = is_values ? zeros : values;
  OtherValues of_other{.is_computed = !is_values,
                       .is_range = is_range,
                       .disturbance = disturbance,
                       .outcome = other.outcome,
                       .peak_bytes = peak_of(other),
                       .ending = other.ending,
                       .waits_at = other.facts.waits_at};
  FitVerdict& verdict = is_values ? values : zeros;
  // Only the run with values knows which of the lines read known values.
  if (!is_values && is_answer(values)) verdict.facts.decisions = std::move(values.facts.decisions);
  verdict.other_values = std::move(of_other);
  if (!is_values && is_interrupted(values)) // the answer is that of the first run, and the last
    verdict.facts.interrupted_at = values.facts.interrupted_at.empty() ? "its start" : values.facts.interrupted_at;
  return std::move(verdict);
}

} // namespace

bool is_interrupted(const FitVerdict& verdict) {
  const int signal = verdict.ending.signal;
  return !verdict.facts.interrupted_at.empty() || signal == SIGINT || signal == SIGTERM;
}

bool need_values_alone(const FitVerdict& verdict) {
  const auto& other = verdict.other_values;
  if (!other || other->is_range || other->disturbance != Disturbance::none) return false;
  if (verdict.computes_values) return true;
  const bool is_alike = other->outcome == verdict.outcome && other->peak_bytes == peak_of(verdict);
  const auto is_known = [](const ReadLine& read) { return read.unknown_count == 0 && read.made_up_count == 0; };
  return is_alike && std::ranges::all_of(verdict.facts.decisions, is_known);
}

std::vector<FitVerdict> rehearse_both_ways(const Setup& setup, const RunOneWay& run) {
  std::vector<FitVerdict> verdicts = rehearse_both_ends(setup, run);
  const auto reader = std::ranges::find_if(verdicts, may_decide);
  if (setup.values != Values::automatic || reader == verdicts.end()) return verdicts;
  setup.say(fmt::format("the program reads values that may decide its control flow at {}: running it again with values",
                        read_lines_text(reader->facts.decisions)));
  Setup with_values = setup;
  with_values.values = Values::on;
  with_values.output = setup.output / "values";
  std::vector<FitVerdict> second = rehearse_both_ends(with_values, run);
  remove_if_alike(verdicts, second, with_values.output);
  for (std::size_t index = 0; index < verdicts.size(); ++index)
    verdicts[index] = deciding_values(std::move(verdicts[index]), std::move(second[index]));
  return verdicts;
}

} // namespace memviz::rehearse
