#include "rehearse/both_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <system_error>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// Whether the end decides: a run that gives no answer or does not fit does, else the higher peak.
bool takes_more(const OtherEnd& end, const OtherEnd& than) {
  if (end.outcome != than.outcome) return than.outcome == FitOutcome::fits;
  return end.peak_bytes > than.peak_bytes;
}

bool differ(const FitVerdict& earliest, const FitVerdict& latest) {
  return latest.outcome != earliest.outcome || peak_of(latest) != peak_of(earliest);
}

FitVerdict deciding(FitVerdict earliest, FitVerdict latest) {
  const OtherEnd early{.is_latest = false, .outcome = earliest.outcome, .peak_bytes = peak_of(earliest)};
  const OtherEnd late{.is_latest = true, .outcome = latest.outcome, .peak_bytes = peak_of(latest)};
  const bool is_latest = takes_more(late, early);
  FitVerdict verdict = is_latest ? std::move(latest) : std::move(earliest);
  verdict.other_end = is_latest ? early : late;
  return verdict;
}

} // namespace

std::vector<FitVerdict> rehearse_both_ends(const Setup& setup, const RunOneEnd& run) {
  Setup one_end = setup;
  one_end.both_ends = false;
  std::vector<FitVerdict> verdicts = run(one_end, {});
  if (!std::all_of(verdicts.begin(), verdicts.end(), is_answer)) return verdicts;

  one_end.output = setup.output / "late";
  std::vector<FitVerdict> latest = run(one_end, {{"MEMVIZ_REHEARSAL_EVENTS", "late"}});
  if (std::equal(verdicts.begin(), verdicts.end(), latest.begin(), std::not_fn(differ))) {
    std::error_code ignored;
    fs::remove_all(one_end.output, ignored);
  }
  for (std::size_t index = 0; index < verdicts.size(); ++index)
    verdicts[index] = deciding(std::move(verdicts[index]), std::move(latest[index]));
  return verdicts;
}

} // namespace memviz::rehearse
