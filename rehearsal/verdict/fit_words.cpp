#include "verdict/fit_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"
#include "verdict/fit_doubt_words.hpp"
#include "verdict/fit_server_words.hpp"
#include "verdict/fit_values_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kLineColumns = 60; ///< of a line of code in a table
constexpr std::size_t kErrorCellColumns = 100;
constexpr std::size_t kMostFunctions = 3;

std::string gpu_text(const Profile& profile) {
  return profile.gpu == profile.name ? profile.gpu : fmt::format("{} ({})", profile.gpu, profile.name);
}

/// "41.2 GiB", or "41.2 GiB to 45.0 GiB" for a program that was run at both ends.
std::string peak_text(const FitVerdict& verdict, std::uint64_t peak_bytes) {
  std::uint64_t least_bytes = peak_bytes;
  if (verdict.other_end) least_bytes = std::min(least_bytes, verdict.other_end->peak_bytes);
  if (is_range(verdict)) least_bytes = std::min(least_bytes, verdict.other_values->peak_bytes);
  if (least_bytes == peak_bytes) return format_bytes(peak_bytes);
  return fmt::format("{} to {}", format_bytes(least_bytes), format_bytes(peak_bytes));
}

/// ", 75.1 GiB with other processes", if others used the device.
std::string with_others_text(const FitVerdict& verdict, const DeviceUse& use) {
  if (verdict.profile.system_bytes > 0)
    return fmt::format(", {} with the system{}", format_bytes(use.most_bytes()),
                       use.most_bytes() > use.peak_bytes + verdict.profile.system_bytes ? " and other processes" : "");
  return use.most_bytes() > use.peak_bytes ? fmt::format(", {} with other processes", format_bytes(use.most_bytes()))
                                           : "";
}

/// "; workspaces of convolutions take 0 to 98.0 MiB more", if convolutions ran.
std::string workspace_text(const RunFacts& facts, const DeviceUse& use) {
  const std::uint64_t most_bytes = std::min(kConvolutionWorkspaceBytes, use.left_bytes());
  if (facts.convolutions == 0 || most_bytes == 0) return "";
  return fmt::format("; workspaces of convolutions take 0 to {} more", format_bytes(most_bytes));
}

/// Whether the program ended because absent ranks do not answer requests of a rank.
bool is_refused(const FitVerdict& verdict) {
  return verdict.outcome == FitOutcome::failed && !verdict.facts.refusals.empty();
}

std::string program_name(const FitVerdict& verdict) {
  return verdict.neighbour.empty() ? "the program" : printable(verdict.neighbour);
}

std::string no_answer_reason(const FitVerdict& verdict) {
  if (verdict.facts.waits_at) return waiting_text(*verdict.facts.waits_at);
  if (verdict.outcome != FitOutcome::failed) return "no GPU was used";
  const auto& server = verdict.facts.server;
  return verdict.ending.is_good() && server ? fmt::format("the program ended before {} was ready", server_name(*server))
                                            : program_name(verdict) + ' ' + ending_text(verdict.ending);
}

/// Returns the error with which a program ended, before and after these words; "" if it has none.
std::string error_text(const FitVerdict& verdict, const char* before = "", const char* after = "") {
  if (verdict.facts.error.empty() || verdict.facts.server || verdict.ending.is_good() || verdict.ending.signal != 0)
    return "";
  return before + error_sentence(verdict.facts.error) + after;
}

/// Returns the memory that a program took before it failed, if known; "" for a server, which has separate figures.
std::string until_then_text(const FitVerdict& verdict) {
  return verdict.facts.server || fullest(verdict.facts) == nullptr
             ? ""
             : fmt::format(" Until then on {}.", room_text(verdict));
}

std::string no_gpu_text(const RunFacts& facts) {
  if (!facts.torches.empty() && !facts.has_cuda_torch)
    return fmt::format("The program never used a GPU: its torch {} was built without CUDA.",
                       fmt::join(facts.torches, ", "));
  if (!facts.torches.empty())
    return "The program never used a GPU: it imported torch, but never initialised CUDA. Programs that choose the CPU "
           "by an option also do so here.";
  return "The program never used a GPU: nothing initialised CUDA. A statically linked CUDA runtime cannot be replaced, "
         "and Python started with -I, -E or -S ignores memviz's hook.";
}

std::string neighbour_text(const Neighbour& neighbour) {
  return fmt::format(
      "On the GPU before it: {}, which takes {} at its peak and is counted with it from the beginning.{}",
      printable(neighbour.command), format_bytes(neighbour.peak_bytes),
      neighbour.is_sure ? "" : " It may take more: rehearse it alone to see why.");
}

std::string shared_text(const SharedDevice& shared) {
  return fmt::format(
      "{} was used by {} processes, which found taken what the others had: {} of {} at most, at one time.",
      device_name(shared.device, DeviceKind::cuda), shared.processes, format_bytes(shared.peak_bytes),
      format_bytes(shared.total_bytes));
}

/// Returns the figures of the other end, if a program was run at both.
std::string both_ends_text(const FitVerdict& verdict, const OtherEnd& other) {
  const std::string text = "Memory used on another stream becomes free when that stream's work is done: at the "
                           "earliest when it is submitted, at the latest when the host waits for it. ";
  if (other.outcome == FitOutcome::does_not_fit) return text + "The program runs out of memory at both ends.";
  const std::string_view other_name = other.is_latest ? "latest" : "earliest";
  const std::string_view name = other.is_latest ? "earliest" : "latest";
  if (verdict.outcome != FitOutcome::fits)
    return text + fmt::format("At the {} the program fits, with {} at the peak; the other figures here are those of "
                              "the {}. A real run "
                              "is between them.",
                              other_name, format_bytes(other.peak_bytes), name);
  if (other.peak_bytes == peak_of(verdict)) return text + "Both ends have the same peak.";
  return text +
         fmt::format("The peak is {} at the {} and {} at the {}; the other figures here are those of the latter.",
                     format_bytes(other.peak_bytes), other_name, format_bytes(peak_of(verdict)), name);
}

/// Returns the server's own sentence after a verdict; "" for another program.
std::string with_server(const FitVerdict& verdict) {
  if (!verdict.facts.server) return "";
  const bool fits = verdict.outcome == FitOutcome::fits;
  const std::string text = fits ? started_text(*verdict.facts.server) : refused_text(*verdict.facts.server);
  return text.empty() ? "" : ' ' + text;
}

/// ", 478,048 tokens, 58.4 requests of 8,192 tokens at once" for a server.
std::string cache_part(const FitVerdict& verdict) {
  const std::string text = verdict.facts.server ? cache_text(*verdict.facts.server) : "";
  return text.empty() ? "" : ", " + text;
}

/// Returns the program in a sentence: "it", or the command of a neighbour.
std::string subject(const FitVerdict& verdict) {
  return verdict.neighbour.empty() ? "it" : printable(verdict.neighbour);
}

/// Returns how a program ran out of memory: PyTorch's allocator did, or a server found too little.
std::string shortage_text(const FitVerdict& verdict) {
  const std::uint64_t count = verdict.facts.oom_count;
  if (count == 0) return "too little memory";
  const std::uint64_t asked_bytes = verdict.facts.library_asked_bytes;
  const std::uint64_t most_bytes = verdict.facts.most_other_bytes;
  const std::uint64_t other_bytes = most_bytes - std::min(most_bytes, verdict.profile.system_bytes);
  return fmt::format(
      "{} ran out of memory{}{}{}{}", subject(verdict), count > 1 ? " " + format_count(count) + " times" : "",
      verdict.ending.is_good() ? ", caught the error and went on" : "",
      other_bytes == 0 ? "" : fmt::format(", while other processes had {} of the GPU", format_bytes(other_bytes)),
      asked_bytes == 0 ? "" : fmt::format(": libraries outside PyTorch asked for {}", format_bytes(asked_bytes)));
}

/// " (3 times)" for a failure that occurred more than once.
std::string times_part(const RunFacts& facts, const std::string& failure) {
  const auto found = facts.failure_counts.find(failure);
  const std::uint64_t count = found == facts.failure_counts.end() ? 1 : found->second;
  return count > 1 ? fmt::format(" ({} times)", format_count(count)) : "";
}

/// Returns the notes of the made-up GPU. Functions that were looked up in vain share one: Python's bindings of CUDA
/// look up every function of the driver, and call few.
std::vector<std::string> gpu_notes(const RunFacts& facts) {
  constexpr std::string_view kLookedUp = "a function that is not made up was asked for: ";
  std::vector<std::string> list;
  std::vector<std::string> functions;
  for (const std::string& note : facts.notes) {
    const bool is_lookup = note.starts_with(kLookedUp);
    (is_lookup ? functions : list).push_back(is_lookup ? note.substr(kLookedUp.size()) : note);
  }
  if (functions.empty()) return list;
  const std::size_t count = functions.size();
  if (count > kMostFunctions) functions.resize(kMostFunctions);
  list.push_back(fmt::format("{} that the made-up GPU does not have {} looked up: {}{}.",
                             format_counted(count, "function"), count == 1 ? "was" : "were", fmt::join(functions, ", "),
                             count > kMostFunctions ? fmt::format(" and {} more", count - kMostFunctions) : ""));
  return list;
}

} // namespace

std::string read_lines_text(const std::vector<ReadLine>& reads) {
  std::string lines;
  for (const ReadLine& read : reads)
    lines += fmt::format("{}{} ({}{})", lines.empty() ? "" : ", ", printable(read.line), format_count(read.count),
                         lines.empty() ? (read.count == 1 ? " time" : " times") : "");
  return lines;
}

std::string_view answer_word(const FitVerdict& verdict) {
  switch (verdict.outcome) {
  case FitOutcome::fits: return is_sure(verdict) ? "fits" : "may fit";
  case FitOutcome::does_not_fit: return is_sure(verdict) ? "does not fit" : "may not fit";
  case FitOutcome::failed:
  case FitOutcome::no_gpu: break;
  }
  return "no answer";
}

std::string room_text(const FitVerdict& verdict) {
  const DeviceUse* const use = fullest(verdict.facts);
  if (use == nullptr) return gpu_text(verdict.profile);
  return fmt::format("{}: {} of {} at the peak{}, {} left{}", gpu_text(verdict.profile),
                     peak_text(verdict, use->peak_bytes), format_bytes(use->total_bytes),
                     with_others_text(verdict, *use), format_bytes(use->left_bytes()),
                     workspace_text(verdict.facts, *use));
}

std::string headline(const FitVerdict& verdict) {
  const std::string gpu = gpu_text(verdict.profile);
  switch (verdict.outcome) {
  case FitOutcome::fits:
    return fmt::format("{} on {}.{}{}", is_sure(verdict) ? "Fits" : "May fit", room_text(verdict),
                       unknown_text(verdict), with_server(verdict));
  case FitOutcome::does_not_fit:
    return fmt::format("{} on {}: {}.{}", is_sure(verdict) ? "Does not fit" : "May not fit", gpu,
                       shortage_text(verdict), with_server(verdict));
  case FitOutcome::failed:
    if (is_refused(verdict))
      return fmt::format("No answer: {}. The program {}.", verdict.facts.refusals.front(), ending_text(verdict.ending));
    return fmt::format("No answer: {}{}{}.{}{}", no_answer_reason(verdict),
                       verdict.ending.is_good() || verdict.facts.waits_at ? "" : ", for a reason other than memory",
                       error_text(verdict, " (", ")"), until_then_text(verdict), with_server(verdict));
  case FitOutcome::no_gpu: break;
  }
  if (!verdict.neighbour.empty()) return fmt::format("No answer: {} used no GPU.", printable(verdict.neighbour));
  return "No answer. " + no_gpu_text(verdict.facts);
}

std::string short_text(const FitVerdict& verdict) {
  const DeviceUse* const use = fullest(verdict.facts);
  switch (verdict.outcome) {
  case FitOutcome::fits:
    return use == nullptr
               ? "fits"
               : fmt::format("{}: {} of {}{}{}", answer_word(verdict), peak_text(verdict, use->peak_bytes),
                             format_bytes(use->total_bytes), with_others_text(verdict, *use), cache_part(verdict));
  case FitOutcome::does_not_fit:
    if (verdict.facts.ooms.empty() && verdict.facts.library_asked_bytes == 0) return "does not fit";
    return fmt::format("does not fit: {} asked for{}",
                       format_bytes(verdict.facts.ooms.empty() ? verdict.facts.library_asked_bytes
                                                               : verdict.facts.ooms.front().asked_bytes),
                       verdict.facts.ooms.empty() ? " by libraries" : "");
  case FitOutcome::failed:
  case FitOutcome::no_gpu: break;
  }
  return "no answer: " +
         (is_refused(verdict) ? verdict.facts.refusals.front() : no_answer_reason(verdict) + error_text(verdict, ": "));
}

std::vector<std::string> notes(const FitVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  std::vector<std::string> list;
  const bool says_why = is_refused(verdict) || (facts.server && !facts.server->error.empty());
  if (!verdict.ending.is_good() && verdict.outcome == FitOutcome::failed && !facts.used_cuda && !says_why)
    list.push_back(no_gpu_text(facts));
  if (std::string doubt = doubt_text(verdict); !doubt.empty()) list.push_back(std::move(doubt));
  if (!facts.interrupted_at.empty())
    list.push_back(fmt::format("It was at {} when it was interrupted.", printable(facts.interrupted_at)));
  if (facts.is_stopped)
    list.push_back(fmt::format("Stopped after {}, as requested; later work, such as an evaluation, is not included.",
                               format_counted(facts.steps, "optimizer step")));
  else if (verdict.steps_asked && verdict.outcome == FitOutcome::fits)
    list.push_back(fmt::format("--steps {}: the program ended after {} that PyTorch's optimizers counted.",
                               *verdict.steps_asked, format_counted(facts.steps, "step")));
  if (facts.server) {
    const std::vector<std::string> of_server = server_notes(*facts.server);
    list.insert(list.end(), of_server.begin(), of_server.end());
  }
  for (const Neighbour& neighbour : verdict.neighbours)
    list.push_back(neighbour_text(neighbour));
  for (const SharedDevice& shared : shared_devices(facts))
    list.push_back(shared_text(shared));
  const bool has_retries = std::ranges::any_of(facts.uses, [](const DeviceUse& use) { return use.retries > 0; });
  if (has_retries && verdict.outcome == FitOutcome::fits)
    list.emplace_back(
        "It only just fits: the device had no more memory, so PyTorch released its cached memory and tried again.");
  if (verdict.other_end) list.push_back(both_ends_text(verdict, *verdict.other_end));
  if (verdict.peak && verdict.peak->loss)
    list.push_back(lost_history_text(*verdict.peak->loss, verdict.peak->device) +
                   ". Use --max-entries to keep more of the history.");
  if (facts.has_own_recorder)
    list.emplace_back(
        "The program records its own history, so who holds memory is known only from where that history begins.");
  if (is_left_uncompiled(verdict)) list.push_back(uncompiled_text(verdict));
  if (!facts.decisions.empty()) list.push_back(decisions_text(verdict));
  if (facts.host_reads > 0) list.push_back(host_reads_text(verdict));
  if (const DeviceUse* const use = fullest(facts); use != nullptr && use->context_bytes > 0) {
    const bool is_typical = use->outside_bytes > 0 && use->outside_bytes == verdict.profile.kernels_bytes;
    list.push_back(fmt::format(
        "{} of each device for the CUDA context{} typical; the real memory depends on the "
        "driver and the loaded kernels.",
        format_bytes(use->context_bytes),
        is_typical ? fmt::format(" and {} for kernels outside PyTorch are", format_bytes(use->outside_bytes)) : " is"));
  }
  if (facts.convolutions > 0)
    list.push_back(fmt::format(
        "Of the workspaces of convolutions, the part that converts tensors is counted, as on an H100. There "
        "one took up to {} more with kernels of up to 3 x 3, and the memory that PyTorch reserved was "
        "up to 14 % more; if memory is short, PyTorch chooses a smaller one. With "
        "torch.backends.cudnn.benchmark the first calls try larger ones, up to all free memory.",
        format_bytes(kConvolutionWorkspaceBytes)));
  for (std::string& note : gpu_notes(facts))
    list.push_back(std::move(note));
  list.insert(list.end(), facts.refusals.begin() + (is_refused(verdict) ? 1 : 0), facts.refusals.end());
  for (const std::string& failure : facts.failures)
    list.push_back("Part of the recording failed, and the program continued: " + failure + times_part(facts, failure));
  return list;
}

std::string largest_part(const FitVerdict& verdict) {
  if (!verdict.peak || !has_known(verdict.peak->kinds)) return "";
  const KindPart largest = kind_parts(verdict.peak->kinds).front();
  return fmt::format("{} {}", kind_words(largest.kind),
                     format_percent(largest.bytes, bytes_of_kinds(verdict.peak->kinds)));
}

std::string deciding_memory(const FitVerdict& verdict) {
  const auto first_line = [](const FileFacts& facts) {
    return facts.holders.empty() ? "" : elided(facts.holders.front().line, kLineColumns);
  };
  if (verdict.outcome == FitOutcome::fits) {
    if (lacks_kernels(verdict)) return "PyTorch has no kernels for it";
    const std::string part = largest_part(verdict);
    const std::string line = verdict.peak ? first_line(*verdict.peak) : "";
    return part + (part.empty() || line.empty() ? "" : ", ") + line;
  }
  if (verdict.outcome != FitOutcome::does_not_fit) {
    const std::string error = error_text(verdict);
    return error.empty() ? no_answer_reason(verdict) : elided(error, kErrorCellColumns);
  }
  std::string text;
  if (!verdict.facts.ooms.empty())
    text = fmt::format("{} asked for", format_bytes(verdict.facts.ooms.back().asked_bytes));
  const std::string line = verdict.failure ? first_line(verdict.failure->facts) : "";
  if (line.empty()) return text;
  return fmt::format("{}{}most is held by {}", text, text.empty() ? "" : "; ", line);
}

} // namespace memviz::rehearse
