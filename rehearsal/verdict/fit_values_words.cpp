#include "verdict/fit_values_words.hpp"

#include "base/printable.hpp"
#include "io/foreground.hpp"
#include "memviz/format.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz::rehearse {

namespace {

/// "it runs out of memory", "it ended with exit code 1"
std::string other_way_text(const OtherValues& other) {
  if (other.waits_at) return waiting_text(*other.waits_at);
  switch (other.outcome) {
  case FitOutcome::fits: return fmt::format("it fits, with {} at the peak", format_bytes(other.peak_bytes));
  case FitOutcome::does_not_fit: return "it runs out of memory";
  case FitOutcome::failed: return "it " + ending_text(other.ending);
  case FitOutcome::no_gpu: break;
  }
  return "it used no GPU";
}

} // namespace

std::string ending_text(const Ending& ending) {
  return ending.signal != 0 ? fmt::format("was ended by {}", signal_name(ending.signal))
                            : fmt::format("ended with exit code {}", ending.exit_code);
}

bool is_range(const FitVerdict& verdict) {
  return verdict.other_values && verdict.other_values->is_range;
}

bool is_left_uncompiled(const FitVerdict& verdict) {
  return verdict.computes_values && verdict.facts.is_left_uncompiled;
}

bool is_doubtful(const FitVerdict& verdict) {
  if (is_left_uncompiled(verdict) || rests_on_made_up(verdict)) return true;
  const auto& other = verdict.other_values;
  if (!other || !other->is_computed) return false;
  return other->disturbance == Disturbance::compiler ||
         (other->outcome != FitOutcome::fits && other->outcome != FitOutcome::does_not_fit);
}

bool rests_on_made_up(const FitVerdict& verdict) {
  const std::vector<ReadLine>& decisions = verdict.facts.decisions;
  return verdict.computes_values && !is_range(verdict) &&
         std::ranges::any_of(decisions, [](const ReadLine& read) { return read.made_up_count > 0; });
}

std::string waiting_text(const ReadLine& read) {
  return fmt::format("it waits at {} for a value that is never computed", printable(read.line));
}

std::string unknown_text(const FitVerdict& verdict) {
  if (is_left_uncompiled(verdict)) return " The memory that the compiled program takes is unknown.";
  if (rests_on_made_up(verdict))
    return fmt::format(" The values by which it decides at {} are made up, so it may take more.",
                       read_lines_text(verdict.facts.decisions));
  if (is_doubtful(verdict))
    return fmt::format(" The memory that it takes is unknown unless the values that it reads at {} are zeros.",
                       read_lines_text(verdict.facts.decisions));
  if (!verdict.computes_values && !verdict.other_values) return "";
  for (const ReadLine& read : verdict.facts.decisions)
    if (read.unknown_count > 0)
      return fmt::format(" An integer or condition that it reads at {} is unknown, so it may take more.",
                         printable(read.line));
  return "";
}

std::string uncompiled_text(const FitVerdict& verdict) {
  std::string text = "PyTorch compiled nothing while values were computed, so the program ran without "
                     "torch.compile, and the figures here are those without it.";
  return verdict.other_values ? text : text + " Omit --values=on to rehearse the compiled program.";
}

std::string decisions_text(const FitVerdict& verdict) {
  const std::string read = fmt::format("The program reads values that may decide its control flow at {}",
                                       read_lines_text(verdict.facts.decisions));
  const auto& other = verdict.other_values;
  if (!other)
    return fmt::format("{}; {}.", read,
                       verdict.computes_values ? "small integers and conditions are computed, as far as they are known"
                                               : "all are zeros");
  const std::string begin = read + ". It ran twice, with zeros and with values: ";
  const bool is_alike = other->outcome == verdict.outcome && other->peak_bytes == peak_of(verdict);
  if (is_alike) return begin + "the peak is the same.";
  if (other->disturbance == Disturbance::compiler)
    return begin + "with values PyTorch does not compile the program, so that run cannot be the answer, and "
                   "the figures here hold only if real values lead to the same control flow as zeros.";
  const std::string with_other =
      fmt::format("with {} {}", other->is_computed ? "values" : "zeros", other_way_text(*other));
  if (other->is_range)
    return begin + with_other +
           "; the other figures here are those of the other run. Some of the values are made up, and a real run is "
           "between the two.";
  if (other->disturbance == Disturbance::unread)
    return begin + with_other +
           "; but every value that it read was zero, so computing values changed that run, which cannot be the answer.";
  if (!other->is_computed) return begin + with_other + ", and the figures here are those with values.";
  return begin + with_other + ", so the figures here hold only if real values lead to the same control flow as zeros.";
}

std::string host_reads_text(const FitVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  const std::string lines = facts.reads.empty() ? "" : ", most at " + read_lines_text(facts.reads);
  std::string text = fmt::format("The GPU computes nothing: {} to the host gave {}{}.",
                                 format_counted(facts.host_reads, "copy", "copies"),
                                 verdict.computes_values ? "known values, else zeros" : "zeros", lines);
  if (!facts.decisions.empty()) return text;
  return text + " A program that decides by the values it reads (a loss, a length, a mask) may behave differently on a "
                "real GPU.";
}

} // namespace memviz::rehearse
