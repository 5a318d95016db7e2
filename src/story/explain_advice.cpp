#include "story/explain_advice.hpp"

#include "analysis/tree/no_stack_account.hpp"
#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/accounts.hpp"
#include "story/cause_words.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_figures.hpp"
#include "story/first_step_words.hpp"
#include "story/kinds_advice.hpp"
#include "story/pass_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

constexpr std::size_t kMostDevices = 3;
constexpr std::uint64_t kLeastSavedBytes = 64ULL << 20U;

/// Whether to advise it: if memory is fragmented, freeing a large block is not advice, because the program needs it.
bool is_worth_advice(const DeviceExplanation& device, const WhatIf& answer) {
  if (answer.outcome != Outcome::fits) return false;
  // At a moment without a failure, savings below a tenth, or of a few MiB, are not worth a change.
  if (!device.request)
    return saved_bytes(device, answer) >= std::max(kLeastSavedBytes, device.ledger.reserved_bytes / 10);
  if (answer.circumstance != Circumstance::without_blocks) return true;
  const Verdict verdict = device.judgement.verdict;
  return verdict == Verdict::exhaustion || verdict == Verdict::outside ||
         answer.blocks_bytes <= device.request->bytes / 2;
}

std::string outside_advice(const DeviceExplanation& device) {
  const DeviceKindWords& words = words_of(device.device_state.device_kind);
  return fmt::format("Make room outside PyTorch, of which {} is missing: {} shows the other processes on this device; "
                     "libraries and {} of this process take memory outside PyTorch as well.",
                     format_bytes(device.judgement.missing_bytes), words.monitor, words.context);
}

/// Whether no device has that much memory: the largest had 288 GiB in 2026.
bool is_beyond_all_devices(const DeviceExplanation& device) {
  constexpr std::uint64_t kOneTiB = 1ULL << 40U;
  return device.request && device.device_state.device_kind != DeviceKind::cpu && device.request->bytes >= kOneTiB;
}

/// Whether the cause of a request shows why it is so large: no smaller batch helps against a broadcast.
bool is_too_large_by_cause(const DeviceExplanation& device) {
  if (!has_mistake(device) || !device.causes.front().has_request) return false;
  return device.causes.front().kind == CauseKind::large_request || is_out_of_reach(device) ||
         is_beyond_all_devices(device);
}

std::string wrong_size_advice(const MemoryState& state, const DeviceExplanation& device) {
  const std::string where = has_no_stack(device.asking_line)
                                ? "of the request"
                                : "at " + elided(node_label(state.frames(), device.asking_line), kNameColumns);
  return fmt::format("Check the sizes {}: no {} has {}, so one of them is wrong, or shapes broadcast to a larger one "
                     "than intended.",
                     where, words_of(device.device_state.device_kind).noun, format_bytes(device.request->bytes));
}

/// Returns advice for a request that is itself unusually large.
std::string request_advice(const DeviceExplanation& device) {
  if (device.judgement.verdict != Verdict::exhaustion) return "";
  constexpr std::string_view kHow = "a smaller batch, shorter sequences, or the same computation in pieces.";
  if (is_out_of_reach(device)) return fmt::format("Ask for less at once: {}", kHow);
  if (device.request->bytes > in_use_bytes(device.ledger))
    return fmt::format("Ask for less at once; the request alone is larger than all memory in use: {}", kHow);
  return "";
}

std::string_view pending_advice() {
  return "Wait for the stream that still uses this memory before it is freed, instead of record_stream(), or mark less "
         "of it: memory that no other stream uses is free immediately.";
}

std::string balance_advice(const DeviceExplanation& device) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostDevices, device.less_used.size()); ++i)
    names.push_back(device_name(device.less_used[i].device, device.device_state.device_kind));
  if (device.less_used.size() > kMostDevices)
    names.push_back(format_counted(device.less_used.size() - kMostDevices, "more device"));
  return fmt::format("Spread the work: move some of what {} holds to {}.", device_name(device.device_state),
                     fmt::join(names, " or "));
}

std::string blocks_text(const WhatIf& answer) {
  return fmt::format("{} ({})",
                     answer.blocks.size() == 1 ? "one block" : format_count(answer.blocks.size()) + " blocks",
                     format_bytes(answer.blocks_bytes));
}

/// "Free, shrink or move one block (1.22 GiB) of the 28.1 GiB that collect log_probs.py:47 holds: ": a line may hold
/// far more than has to be freed, and a block more than was missing.
std::string without_blocks(const MemoryState& state, const DeviceExplanation& device, const WhatIf& answer) {
  const std::uint64_t lacked_bytes = short_bytes(device);
  const std::string lacked = lacked_bytes > 0 && answer.blocks_bytes / 2 > lacked_bytes
                                 ? fmt::format(" ({} was missing)", format_bytes(lacked_bytes))
                                 : "";
  if (device.in_the_way.size() != 1)
    return fmt::format("Free, shrink or move {} of {}{}: ", blocks_text(answer), lines_in_the_way(state, device),
                       lacked);
  const UserLine& line = device.in_the_way.front();
  const std::string name = elided(node_label(state.frames(), line.key), kNameColumns);
  const auto user = std::ranges::find(device.users, line.key, &UserLine::key);
  if (user == device.users.end() || user->amount.blocks <= line.amount.blocks)
    return fmt::format("Free, shrink or move the {} that {} holds{}: ", format_bytes(answer.blocks_bytes), name,
                       lacked);
  return fmt::format("Free, shrink or move {} of the {} that {} holds{}: ", blocks_text(answer),
                     format_bytes(user->amount.bytes), name, lacked);
}

/// Returns the advice for an answer that is worth it.
std::string advice_of(const MemoryState& state, const DeviceExplanation& device, const WhatIf& answer,
                      const std::string& effect) {
  switch (answer.circumstance) {
  case Circumstance::expandable_segments:
    return fmt::format("Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: {}.", effect);
  case Circumstance::one_stream: return fmt::format("Allocate on one stream: {}.", effect);
  case Circumstance::no_private_pools:
    return fmt::format("Avoid private pools (CUDA graphs, MemPool), or share one: {}.", effect);
  case Circumstance::without_blocks: return without_blocks(state, device, answer) + effect + ".";
  case Circumstance::no_rounding:
    return fmt::format("Remove roundup_power2_divisions, or give it more divisions: {}.", effect);
  case Circumstance::no_split_limit:
    return fmt::format("Remove max_split_size_mb from PYTORCH_CUDA_ALLOC_CONF, which with expandable_segments lets "
                       "reserved memory grow: {}.",
                       effect);
  case Circumstance::max_split_size:
    return fmt::format("Set PYTORCH_CUDA_ALLOC_CONF={}: {}.", split_setting(answer), effect);
  case Circumstance::empty_cache: return fmt::format("Call torch.cuda.empty_cache() before the capture: {}.", effect);
  }
  return "";
}

std::string leak_advice(const MemoryState& state, const DeviceExplanation& device) {
  const StepLeak& leak = *device.leak;
  const std::string line =
      leak.lines.empty() ? "" : elided(node_label(state.frames(), leak.lines.front().key), kNameColumns);
  const std::string where = leak.lines.empty()       ? ""
                            : leak.lines.size() == 1 ? ", all of it from " + line
                                                     : ", most of it from " + line;
  return fmt::format(
      "Release the memory that each step leaves behind: {} more per step{}. memviz leaks says how certain that is.",
      format_bytes(leak.bytes_per_step), where);
}

/// Returns the advice that the replays support: at a moment without a failure the largest effect first.
std::vector<std::string> replayed_advice(const MemoryState& state, const DeviceExplanation& device) {
  std::vector<const WhatIf*> answers;
  for (const WhatIf& answer : device.what_ifs)
    if (is_advised(device, answer)) answers.push_back(&answer);
  if (!device.request)
    std::ranges::stable_sort(answers, std::ranges::greater(),
                             [&](const WhatIf* answer) { return saved_bytes(device, *answer); });
  std::vector<std::string> advice;
  for (const WhatIf* answer : answers) {
    const std::string effect = device.request ? effect_text(device, *answer)
                                              : fmt::format("saves {}", format_bytes(saved_bytes(device, *answer)));
    advice.push_back(advice_of(state, device, *answer, effect));
  }
  return advice;
}

bool has_setting_that_goes_on(const DeviceExplanation& device) {
  return std::ranges::any_of(device.what_ifs, [&](const WhatIf& answer) {
    return answer.circumstance != Circumstance::without_blocks && answer.prospect == Prospect::goes_on &&
           is_advised(device, answer);
  });
}

/// Whether the program lacks memory even without this cause, whatever the size of its batch.
bool is_never_enough(const Cause& cause) {
  return cause.without.is_known && cause.without.batch_divisor == 0 && cause.without.missing_bytes > 0;
}

/// Returns what to do about the causes: mistakes, or what every program of this kind needs.
std::vector<std::string> causes_advice(const DeviceExplanation& device) {
  std::vector<std::string> advice;
  for (const Cause& cause : named_causes(device)) {
    const bool is_state = cause.kind == CauseKind::training_state || cause.kind == CauseKind::weights;
    if (is_never_enough(cause) || (is_state && device.first_step)) continue; // the first step has advice of its own
    if (const std::string_view sentence = cause_advice(cause); !sentence.empty())
      advice.push_back(std::string(sentence) + still_needed_text(device, cause));
  }
  return advice;
}

/// Whether the garbage collector would free as much as is missing.
bool has_cycles_to_collect(const DeviceExplanation& device) {
  if (!device.request || !device.keepers) return false;
  const std::uint64_t cycle_bytes = device.keepers->account.cycle_bytes;
  return cycle_bytes > 0 && cycle_bytes >= lacking_bytes(device);
}

std::string cycles_advice(const DeviceKeepers& keepers) {
  return fmt::format(
      "Break the cycles of objects that refer to each other (weakref, or a del when they are done with), "
      "or call gc.collect(): {} waits for it.",
      format_bytes(keepers.account.cycle_bytes));
}

/// Returns the advice that is not enough, with what is still missing.
std::vector<std::string> short_causes_advice(const DeviceExplanation& device) {
  std::vector<std::string> advice;
  for (const Cause& cause : named_causes(device))
    if (is_never_enough(cause) && !cause_advice(cause).empty())
      advice.push_back(std::string(cause_advice(cause)) + still_needed_text(device, cause));
  return advice;
}

/// Sorts the advice by gain, the largest first.
std::vector<std::string> first_step_advice(const MemoryState& state, const DeviceExplanation& device) {
  std::vector<std::string> replayed = replayed_advice(state, device);
  std::vector<std::string> advice;
  const auto add_replayed = [&] { std::ranges::move(std::exchange(replayed, {}), std::back_inserter(advice)); };
  for (const LeverGain& gain : device.first_step->levers) {
    if (gain.lever != Lever::settings && has_mistake(device) && !is_never_enough(device.causes.front())) continue;
    if (gain.lever == Lever::settings) add_replayed();
    if (!gain.is_enough) continue;
    if (std::string sentence = lever_text(gain); !sentence.empty()) advice.push_back(std::move(sentence));
  }
  add_replayed();
  advice.push_back(rehearse_text(device));
  return advice;
}

} // namespace

bool is_advised(const DeviceExplanation& device, const WhatIf& answer) {
  if (is_out_of_reach(device) || !is_worth_advice(device, answer) || !may_go_on(device, answer)) return false;
  if (answer.prospect != Prospect::goes_on && !is_request_the_problem(device)) return false;
  // Without a request it would cost speed for memory that is not needed.
  if (answer.circumstance == Circumstance::empty_cache) return device.request.has_value();
  // Advice for expandable segments needs no figure.
  return answer.circumstance != Circumstance::max_split_size ||
         std::ranges::none_of(device.what_ifs, [](const WhatIf& other) {
           return other.circumstance == Circumstance::expandable_segments && other.outcome == Outcome::fits;
         });
}

std::vector<std::string> advice_text(const MemoryState& state, const DeviceExplanation& device) {
  std::vector<std::string> advice;
  if (is_too_large_by_cause(device)) advice = causes_advice(device);
  if (!advice.empty()) return advice;
  if (is_beyond_all_devices(device)) return {wrong_size_advice(state, device)};
  if (std::string less_at_once = request_advice(device); !less_at_once.empty())
    advice.push_back(std::move(less_at_once));
  if (is_out_of_reach(device)) return advice;
  if (std::string record = recording_advice(device.users, device.device_state.figures.requested_bytes); !record.empty())
    advice.push_back(std::move(record));
  if (device.leak) advice.push_back(leak_advice(state, device));
  const auto add = [&](std::vector<std::string> sentences) {
    std::ranges::move(sentences, std::back_inserter(advice));
  };
  if (has_cycles_to_collect(device)) advice.push_back(cycles_advice(*device.keepers));
  // A setting with which the program goes on comes before changes that may be enough.
  const std::span<const Cause> causes = named_causes(device);
  const bool is_in_pieces =
      has_setting_that_goes_on(device) || (leads_with_fragmentation(device) && !lacks_backward(causes.back()));
  // The first pass of a program that has an optimizer is rather training than an evaluation.
  const bool is_usual_pass = !device.causes.empty() && device.causes.front().kind == CauseKind::activations;
  const bool is_last = is_in_pieces || (is_usual_pass && causes.front().is_first_training);
  if (!is_last) add(causes_advice(device));
  add(device.first_step ? first_step_advice(state, device) : replayed_advice(state, device));
  if (is_last) add(causes_advice(device));
  if (device.judgement.verdict == Verdict::pending_free) advice.emplace_back(pending_advice());
  const bool is_open = device.causes.empty() || is_in_pieces || is_usual_pass || is_never_enough(device.causes.front());
  if (!device.first_step && is_open) add(kinds_advice(device));
  add(short_causes_advice(device));
  if (device.judgement.verdict == Verdict::outside) advice.push_back(outside_advice(device));
  if (!device.less_used.empty()) advice.push_back(balance_advice(device));
  return advice;
}

} // namespace memviz
