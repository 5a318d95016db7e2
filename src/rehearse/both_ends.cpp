#include "rehearse/both_ends.hpp"

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

} // namespace

FitVerdict rehearse_both_ends(const Setup& setup, const std::vector<std::string>& words, const Variables& variables) {
  Setup one_end = setup;
  one_end.both_ends = false;
  FitVerdict earliest = rehearse(one_end, words, variables);
  if (!is_answer(earliest)) return earliest;

  one_end.output = setup.output / "late";
  Variables with_late = variables;
  with_late.emplace_back("MEMVIZ_REHEARSAL_EVENTS", "late");
  FitVerdict latest = rehearse(one_end, words, with_late);
  if (latest.outcome == earliest.outcome && peak_of(latest) == peak_of(earliest)) {
    std::error_code ignored;
    fs::remove_all(one_end.output, ignored);
  }
  const OtherEnd early{.is_latest = false, .outcome = earliest.outcome, .peak_bytes = peak_of(earliest)};
  const OtherEnd late{.is_latest = true, .outcome = latest.outcome, .peak_bytes = peak_of(latest)};
  FitVerdict& deciding = takes_more(late, early) ? latest : earliest;
  deciding.other_end = &deciding == &latest ? early : late;
  return std::move(deciding);
}

} // namespace memviz::rehearse
