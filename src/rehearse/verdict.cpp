#include "rehearse/verdict.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace memviz::rehearse {

namespace {

constexpr int kBadData = 1;
constexpr int kDoesNotFit = 3;

std::string gpu_text(const Profile& profile) {
  return profile.gpu == profile.name ? profile.gpu : fmt::format("{} ({})", profile.gpu, profile.name);
}

std::string ending_text(const Ending& ending) {
  return ending.signal != 0 ? fmt::format("was ended by {}", signal_name(ending.signal))
                            : fmt::format("ended with exit code {}", ending.exit_code);
}

std::string no_gpu_text(const RunFacts& facts) {
  if (!facts.torches.empty() && !facts.has_cuda_torch)
    return fmt::format("The program never used a GPU: its torch {} was built without CUDA.",
                       fmt::join(facts.torches, ", "));
  if (!facts.torches.empty())
    return "The program never used a GPU: it imported torch, but never initialised CUDA. Programs that choose the CPU "
           "by "
           "an option do so here, too.";
  return "The program never used a GPU: nothing initialised CUDA. A CUDA runtime that is linked statically is not made "
         "up; Python started with -I, -E or -S leaves out what memviz adds to it.";
}

/// Of several processes on one device, what they took together at most; each of them saw all of it.
std::vector<std::string> shared_devices(const RunFacts& facts) {
  struct Sum {
    std::uint64_t processes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t total_bytes = 0;
  };
  std::map<DeviceId, Sum> devices;
  for (const DeviceUse& use : facts.uses) {
    Sum& sum = devices[use.device];
    ++sum.processes;
    sum.bytes += use.peak_bytes;
    sum.total_bytes = use.total_bytes;
  }
  std::vector<std::string> texts;
  for (const auto& [device, sum] : devices) {
    if (sum.processes < 2) continue;
    texts.push_back(fmt::format(
        "{} was used by {} processes, and each of them found all of it free: together they took at most {} of {}{}",
        device_name(device, false), sum.processes, format_bytes(sum.bytes), format_bytes(sum.total_bytes),
        sum.bytes > sum.total_bytes ? ", which may not fit." : "."));
  }
  return texts;
}

} // namespace

std::string_view outcome_word(FitOutcome outcome) {
  switch (outcome) {
  case FitOutcome::fits: return "fits";
  case FitOutcome::does_not_fit: return "does_not_fit";
  case FitOutcome::failed: return "failed";
  case FitOutcome::no_gpu: break;
  }
  return "no_gpu";
}

FitOutcome outcome_of(const Ending& ending, const RunFacts& facts) {
  if (facts.oom_count > 0) return FitOutcome::does_not_fit;
  if (!ending.is_good()) return FitOutcome::failed;
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

std::string headline(const FitVerdict& verdict) {
  const std::string gpu = gpu_text(verdict.profile);
  const DeviceUse* const use = fullest(verdict.facts);
  switch (verdict.outcome) {
  case FitOutcome::fits:
    if (use == nullptr) return fmt::format("Fits on {}.", gpu);
    return fmt::format("Fits on {}: {} of {} at the peak, {} left.", gpu, format_bytes(use->peak_bytes),
                       format_bytes(use->total_bytes), format_bytes(use->left_bytes()));
  case FitOutcome::does_not_fit:
    return fmt::format("Does not fit on {}: it ran out of memory{}{}.", gpu,
                       verdict.facts.oom_count > 1 ? " " + format_count(verdict.facts.oom_count) + " times" : "",
                       verdict.ending.is_good() ? ", caught the error and went on" : "");
  case FitOutcome::failed:
    return fmt::format("No answer: the program {}, for another reason than memory.", ending_text(verdict.ending));
  case FitOutcome::no_gpu: break;
  }
  return "No answer. " + no_gpu_text(verdict.facts);
}

std::string short_text(const FitVerdict& verdict) {
  const DeviceUse* const use = fullest(verdict.facts);
  switch (verdict.outcome) {
  case FitOutcome::fits:
    return use == nullptr
               ? "fits"
               : fmt::format("fits: {} of {}", format_bytes(use->peak_bytes), format_bytes(use->total_bytes));
  case FitOutcome::does_not_fit:
    return verdict.facts.ooms.empty()
               ? "does not fit"
               : fmt::format("does not fit: {} asked for", format_bytes(verdict.facts.ooms.front().asked_bytes));
  case FitOutcome::failed: return "no answer: the program " + ending_text(verdict.ending);
  case FitOutcome::no_gpu: break;
  }
  return "no answer: no GPU was used";
}

std::vector<std::string> notes(const FitVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  std::vector<std::string> list;
  if (!verdict.ending.is_good() && verdict.outcome == FitOutcome::failed && !facts.used_cuda)
    list.push_back(no_gpu_text(facts));
  if (facts.is_stopped)
    list.push_back(fmt::format("Stopped after {}, as asked; what comes later, such as an evaluation, is not in it.",
                               format_counted(facts.steps, "optimizer step")));
  else if (verdict.steps_asked && verdict.outcome == FitOutcome::fits)
    list.push_back(fmt::format("--steps {}: the program ended after {} that PyTorch's optimizers counted.",
                               *verdict.steps_asked, format_counted(facts.steps, "step")));
  for (std::string& text : shared_devices(facts))
    list.push_back(std::move(text));
  const bool has_retries =
      std::any_of(facts.uses.begin(), facts.uses.end(), [](const DeviceUse& use) { return use.retries > 0; });
  if (has_retries && verdict.outcome == FitOutcome::fits)
    list.emplace_back(
        "It only just fits: the device had no more, so PyTorch gave its cached memory back and tried again.");
  if (verdict.peak && !verdict.peak->loss.empty())
    list.push_back(verdict.peak->loss + ". --max-entries keeps more of the history.");
  if (facts.has_own_recorder)
    list.emplace_back("The program records its own history; who holds memory is known from where that begins.");
  if (facts.host_reads > 0)
    list.push_back(
        fmt::format("The GPU computes nothing: {} to the host gave zeros. A program that decides by the values "
                    "it reads (a loss, a length, a mask) may go another way on a real one.",
                    format_counted(facts.host_reads, "copy", "copies")));
  if (const DeviceUse* const use = fullest(facts); use != nullptr && use->context_bytes > 0)
    list.push_back(fmt::format("{} of each device for the CUDA context is a typical figure; the driver and the kernels "
                               "that are loaded decide.",
                               format_bytes(use->context_bytes)));
  list.insert(list.end(), facts.notes.begin(), facts.notes.end());
  for (const std::string& failure : facts.failures)
    list.push_back("Part of the recording failed, and the program went on: " + failure);
  return list;
}

} // namespace memviz::rehearse
