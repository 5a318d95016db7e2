#include "story/explain_words.hpp"
#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "memviz/explain.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/cause_words.hpp"
#include "story/explain_advice.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_figures.hpp"
#include "story/explain_verdict.hpp"
#include "story/first_step_words.hpp"
#include "story/keeper_words.hpp"
#include "story/kind_totals.hpp"
#include "story/moment_words.hpp"
#include "story/pass_words.hpp"
#include "story/perfect_allocator_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <utility>

namespace memviz {

namespace {

std::string headline(const MemoryState& state, const DeviceExplanation& device) {
  const std::string name = device_heading(device.device_state);
  const MemoryLedger& ledger = device.ledger;
  if (!device.request && is_uncached(device.device_state))
    return fmt::format("{} {}: {} is in use.", name, moment_text(device.device_state),
                       format_bytes(in_use_bytes(ledger)));
  if (!device.request) {
    const std::string held = ledger.reserved_bytes == 0
                                 ? "nothing is reserved"
                                 : fmt::format("{} of {} reserved is in use", format_bytes(in_use_bytes(ledger)),
                                               format_bytes(ledger.reserved_bytes));
    const std::string beside =
        ledger.no_segment_bytes > 0
            ? fmt::format(", and by the events {} more, outside all segments", format_bytes(ledger.no_segment_bytes))
            : "";
    return fmt::format("{} {}: {}{}.", name, moment_text(device.device_state), held, beside);
  }
  const std::string held =
      ledger.reserved_bytes == 0
          ? "PyTorch held nothing"
          : fmt::format("of {} that PyTorch held {} was in use", format_bytes(ledger.reserved_bytes),
                        format_percent(in_use_bytes(ledger), ledger.reserved_bytes));
  return fmt::format("{} ran out of memory: {} asked for by {}; the device had {} free, and {}.", name,
                     format_bytes(device.request->bytes),
                     elided(node_label(state.frames(), device.asking_line), kNameColumns),
                     ledger.device_free_bytes ? format_bytes(*ledger.device_free_bytes) : "an unknown amount", held);
}

std::string title(const DeviceExplanation& device) {
  const std::string name = device_heading(device.device_state);
  const MemoryLedger& ledger = device.ledger;
  if (device.request)
    return fmt::format("{} ran out of memory: {} asked for{}, {} free", name, format_bytes(device.request->bytes),
                       takes_more(device) ? ", " + format_bytes(device.judgement.needed_bytes) + " needed" : "",
                       ledger.device_free_bytes ? format_bytes(*ledger.device_free_bytes) : "unknown");
  if (ledger.reserved_bytes == 0) return name + ": nothing is reserved";
  if (is_uncached(device.device_state))
    return fmt::format("{}: {} is in use", name, format_bytes(in_use_bytes(ledger)));
  const std::string outside = ledger.no_segment_bytes == 0
                                  ? ""
                                  : fmt::format(", {} outside all segments", format_bytes(ledger.no_segment_bytes));
  return fmt::format("{}: {} of {} reserved is in use{}", name, format_bytes(in_use_bytes(ledger)),
                     format_bytes(ledger.reserved_bytes), outside);
}

constexpr std::string_view kImbalance = "Imbalance:";

/// "Imbalance: GPU 1 held 78.4 GiB; GPU 0 held 7.96 GiB and GPU 2 20.4 GiB, each at its peak."
std::string imbalance(const DeviceExplanation& device) {
  constexpr std::size_t kMostNames = 7;
  const auto& others = device.less_used;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostNames, others.size()); ++i)
    names.push_back(fmt::format("{} {}{}", device_name(others[i].device, device.device_state.device_kind),
                                i == 0 ? "held " : "", format_bytes(others[i].reserved_bytes)));
  if (others.size() > kMostNames)
    names.push_back(format_counted(others.size() - kMostNames, "more device") + " less than half as much");
  const bool at_peaks =
      std::ranges::all_of(others, [](const OtherDevice& other) { return other.at.kind == MomentKind::peak; });
  const std::string last = names.size() > 1 ? " and " + names.back() : "";
  if (names.size() > 1) names.pop_back();
  return fmt::format("{} {} held {}; {}{}{}.", kImbalance, device_name(device.device_state),
                     format_bytes(device.ledger.reserved_bytes), fmt::join(names, ", "), last,
                     at_peaks ? (others.size() == 1 ? ", at its peak" : ", each at its peak") : "");
}

std::string headroom(const DeviceExplanation& device) {
  const std::uint64_t capacity_bytes = *device.ledger.capacity_bytes;
  return fmt::format("Headroom: PyTorch left {1} of the device's {0} unreserved. How much of that other processes, {2} "
                     "and libraries use is unknown: a snapshot does not record it.",
                     format_bytes(capacity_bytes),
                     format_bytes(capacity_bytes - std::min(capacity_bytes, device.ledger.reserved_bytes)),
                     words_of(device.device_state.device_kind).context);
}

std::string private_pools(const DeviceExplanation& device) {
  return device.settings.expandable_segments
             ? "Private pools do not use expandable segments in this recording, although they are on."
             : "Assumed: with expandable_segments:True private pools do not change, as before PyTorch 2.5.";
}

/// Returns what the recording shows in addition to the line of the request: "It was asked for within step 5 >
/// forward, for the backward pass of layers.py:58 forward."; "" if it shows nothing.
std::string circumstances(const FrameTable& frames, const DeviceExplanation& device) {
  if (!device.request) return "";
  const auto shown = [&](StringId text) { return elided(printable(frames.text(text)), kNameColumns); };
  std::vector<std::string> parts;
  std::vector<std::string> annotations;
  for (const StringId name : device.open_annotations)
    annotations.push_back(shown(name));
  if (!annotations.empty()) parts.push_back(fmt::format("within {}", fmt::join(annotations, " > ")));
  const auto forward = frames.stack(device.request->forward_stack);
  if (!forward.empty())
    parts.push_back(fmt::format("for the backward pass of {}", shown(frames.frame(forward.front()).name)));
  const StringId region = device.request->compile_context;
  if (!frames.text(region).empty() && frames.text(region) != "N/A") parts.push_back("in " + shown(region));
  if (!frames.text(device.request->user_metadata).empty())
    parts.push_back(fmt::format("with the metadata {}", shown(device.request->user_metadata)));
  return parts.empty() ? "" : fmt::format("It was asked for {}.", fmt::join(parts, ", "));
}

/// Returns how the program went on after the error; "" if nothing was allocated after it.
std::string aftermath(const DeviceExplanation& device) {
  const DeviceState& state = device.device_state;
  if (!device.request || device.request->event != state.last_oom_event || state.allocs_after_oom == 0) return "";
  return fmt::format("The program went on after this error: {} {}.",
                     format_counted(state.allocs_after_oom, "allocation"),
                     state.allocs_after_oom == 1 ? "follows" : "follow");
}

/// Returns what NVML reported of the device's processes; "" if it did not.
std::string processes(const DeviceExplanation& device) {
  const std::optional<MeasuredDevice>& measured = device.measured;
  if (!measured) return "";
  std::vector<std::string> parts;
  if (measured->other_processes == std::uint64_t{0})
    parts.emplace_back("no other process was on the device");
  else if (measured->other_processes && measured->other_processes_bytes)
    parts.push_back(fmt::format("{} held {} of the device",
                                format_counted(*measured->other_processes, "other process", "other processes"),
                                format_bytes(*measured->other_processes_bytes)));
  if (measured->own_outside_bytes)
    parts.push_back(fmt::format("this one held {} outside PyTorch ({}, libraries)",
                                format_bytes(*measured->own_outside_bytes),
                                words_of(device.device_state.device_kind).context));
  return parts.empty() ? "" : fmt::format("When the file was written, {}.", fmt::join(parts, ", and "));
}

constexpr std::string_view kMadeUpSegments =
    "Memory in pieces, blocks that keep segments reserved, sizes that vary and settings that would help are left out: "
    "they depend on segments, which this file does not have.";

std::vector<std::string> reasons(const FrameTable& frames, const DeviceExplanation& device) {
  std::vector<std::string> text;
  const MemoryLedger& ledger = device.ledger;
  if (std::string said = circumstances(frames, device); !said.empty()) text.push_back(std::move(said));
  if (std::string went_on = aftermath(device); !went_on.empty()) text.push_back(std::move(went_on));
  if (takes_more(device))
    text.push_back(fmt::format("For this request PyTorch takes {} from the device at once.",
                               format_bytes(device.judgement.needed_bytes)));
  if (const std::string shares = kind_shares_text(device.kinds); !shares.empty() && !has_kinds_in_verdict(device))
    text.push_back(
        fmt::format("Kinds: of {} requested, {}.", format_bytes(device.device_state.figures.requested_bytes), shares));
  if (device.first_step) text.push_back(first_step_text(*device.first_step));
  if (std::string said = pass_text(device); !said.empty()) text.push_back(std::move(said));
  // If the request would have fit on no device, other devices do not matter.
  if (!device.less_used.empty() && !is_out_of_reach(device)) text.push_back(imbalance(device));
  if (!device.request && ledger.capacity_bytes && ledger.reserved_bytes > 0) text.push_back(headroom(device));
  if (device.request && ledger.outside_bytes && device.judgement.verdict != Verdict::outside)
    text.push_back(fmt::format("Of the device's {}, {} is neither PyTorch's nor free: other processes, {}, libraries.",
                               format_bytes(*ledger.capacity_bytes), format_bytes(*ledger.outside_bytes),
                               words_of(device.device_state.device_kind).context));
  if (std::string said = processes(device); device.request && !said.empty()) text.push_back(std::move(said));
  if (device.request && !ledger.capacity_bytes)
    text.push_back(fmt::format(
        "Memory outside PyTorch is unknown: it is what the device has beyond {}, and the snapshot does not record "
        "the device's capacity. Pass it with --capacity.",
        format_bytes(ledger.reserved_bytes + ledger.device_free_bytes.value_or(0))));
  if (device.request && !device.request->pool_is_known && device.request->pool.is_private())
    text.emplace_back("Assumed: the request was for the private pool of the last allocation on its stream. Files "
                      "before 2026 do not record it.");
  else if (device.request && !device.request->pool_is_known && ledger.room.private_pool_bytes > 0)
    text.emplace_back("Assumed: the request was for the default pool. Files before 2026 do not record it.");
  if (device.device_state.are_segments_made_up) text.emplace_back(kMadeUpSegments);
  if (const auto perfect = perfect_allocator(device.device_state, ledger.device_free_bytes))
    text.push_back(capitalized(perfect_allocator_text(*perfect)) + ".");
  const bool has_private_pools = std::ranges::any_of(
      device.what_ifs, [](const WhatIf& answer) { return answer.circumstance == Circumstance::no_private_pools; });
  if (has_private_pools && !device.settings.private_pools_expand) text.push_back(private_pools(device));
  if (device.settings.collects_garbage)
    text.emplace_back("Not modelled: garbage_collection_threshold, which is set. It matters only with "
                      "torch.cuda.set_per_process_memory_fraction(), which a snapshot does not record.");
  return text;
}

/// Whether the verdict says the same: freeing cannot help.
bool is_in_verdict(const DeviceExplanation& device, const WhatIf& answer) {
  return answer.circumstance == Circumstance::without_blocks && is_out_of_reach(device);
}

/// Whether the request fits, or at a moment without a failure more than 2 % is saved.
bool helps(const DeviceExplanation& device, const WhatIf& answer) {
  constexpr std::uint64_t kLeastPart = 50;
  if (!is_request_the_problem(device) || !may_go_on(device, answer)) return false;
  if (answer.outcome != Outcome::fits && answer.outcome != Outcome::at_best) return false;
  return device.request || saved_bytes(device, answer) > device.ledger.reserved_bytes / kLeastPart;
}

/// Makes the first cause the verdict: what became of the last request, and other causes, are reasons.
void lead_with_causes(ExplanationText& text, const FrameTable& frames, const DeviceExplanation& device) {
  std::vector<std::string> sentences;
  for (const Cause& cause : named_causes(device))
    if (std::string sentence = cause_text(frames, scope_of(device), cause); !sentence.empty())
      sentences.push_back(std::move(sentence));
  if (sentences.empty()) return;
  if (!leads_with_fragmentation(device)) {
    sentences.push_back(std::exchange(text.verdict, sentences.front()));
    sentences.erase(sentences.begin());
  }
  text.reasons.insert(text.reasons.begin(), sentences.begin(), sentences.end());
}

/// An answer that is not advised.
struct Answer {
  std::string text;
  std::uint64_t saved_bytes;
};

/// Adds the answers that help after the advice: at a moment without a failure the largest effect first.
void add_answers(ExplanationText& text, std::vector<Answer> helping, bool has_failed) {
  if (!has_failed) std::ranges::stable_sort(helping, std::ranges::greater(), &Answer::saved_bytes);
  for (Answer& answer : helping)
    text.helps.push_back(std::move(answer.text));
}

} // namespace

bool takes_more(const DeviceExplanation& device) {
  return device.request && device.judgement.missing_bytes > 0 &&
         device.judgement.needed_bytes > device.request->bytes + device.request->bytes / 20;
}

bool is_unused(const DeviceExplanation& device) {
  const DeviceFigures& figures = device.device_state.figures;
  return !device.request && figures.reserved_bytes == 0 && figures.end_reserved_bytes == 0 &&
         figures.requested_bytes == 0 && figures.peak_requested_bytes == 0;
}

std::vector<const DeviceExplanation*> shown_devices(const std::vector<DeviceExplanation>& devices) {
  std::vector<const DeviceExplanation*> shown;
  for (const DeviceExplanation& device : devices)
    if (!is_unused(device)) shown.push_back(&device);
  if (shown.empty() && !devices.empty()) shown.push_back(&devices.front());
  if (shown.empty() || shown.front()->request) return shown;
  const auto holds_less = [](const DeviceExplanation* one, const DeviceExplanation* other) {
    const DeviceState& left = one->device_state;
    const DeviceState& right = other->device_state;
    if (is_host(left.device) != is_host(right.device)) return is_host(left.device);
    return left.figures.requested_bytes < right.figures.requested_bytes;
  };
  const auto most = std::ranges::max_element(shown, holds_less);
  std::rotate(shown.begin(), most, most + 1);
  return shown;
}

std::string unused_text(const std::vector<DeviceExplanation>& devices) {
  constexpr std::size_t kMostNames = 8;
  const std::vector<const DeviceExplanation*> shown = shown_devices(devices);
  std::vector<std::string> names;
  for (const DeviceExplanation& device : devices)
    if (std::ranges::find(shown, &device) == shown.end()) names.push_back(device_name(device.device_state));
  if (names.empty()) return "";
  if (names.size() == 1) return fmt::format("Nothing is reserved on {}.", names.front());
  const std::size_t count = names.size();
  if (count > kMostNames) names.resize(kMostNames);
  return fmt::format("Nothing is reserved on {} others: {}{}.", count, fmt::join(names, ", "),
                     count > kMostNames ? ", ..." : "");
}

std::vector<std::string> reasons_beside_devices(const ExplanationText& text) {
  std::vector<std::string> reasons = text.reasons;
  std::erase_if(reasons, [](const std::string& reason) { return reason.starts_with(kImbalance); });
  return reasons;
}

namespace {

std::string low_point(const Growth& growth) {
  return growth.low_event.is_none() ? "the first event" : "event " + format_count(growth.low_event.value());
}

} // namespace

std::string returned_text(const DeviceExplanation& device) {
  return device.growth.reserved_bytes > device.ledger.reserved_bytes ? ", part of which was returned" : "";
}

std::string pinning_text(const Pins& pins) {
  return fmt::format("{} of {} {} {} free from being returned, in {}.", format_counted(pins.active.blocks, "block"),
                     format_bytes(pins.active.bytes), pins.active.blocks == 1 ? "keeps" : "keep",
                     format_bytes(pins.held_bytes), format_counted(pins.segments.size(), "segment"));
}

std::string grown_text(const Growth& growth) {
  return fmt::format("Since {}, when {} was requested in all, allocated and kept:", low_point(growth),
                     format_bytes(growth.low_bytes));
}

std::string reserved_text(const DeviceExplanation& device) {
  const std::string returned = returned_text(device);
  return fmt::format("Since {}, {} was {}{} for:", low_point(device.growth), format_bytes(device.growth.reserved_bytes),
                     is_host(device.device_state.device) ? "pinned" : "taken from the device",
                     returned.empty() ? "" : returned + ",");
}

std::string not_shown_text(std::size_t devices) {
  return fmt::format("The full answer covers {}.", format_counted(devices, "more device"));
}

ExplanationText in_words(const MemoryState& state, const DeviceExplanation& device) {
  ExplanationText text;
  text.title = title(device);
  text.headline = headline(state, device);
  text.verdict = verdict_text(state.frames(), device);
  text.reasons = reasons(state.frames(), device);
  lead_with_causes(text, state.frames(), device);
  if (device.keepers) text.keepers = keeper_sentences(state.frames(), *device.keepers);
  bool is_replayed = false;
  text.advice = advice_text(state, device);
  text.helps = text.advice;
  std::vector<Answer> helping;
  for (const WhatIf& answer : device.what_ifs) {
    text.answers.push_back(answer_text(state, device, answer));
    const bool is_help = helps(device, answer);
    if (!text.answers.back().empty() && !is_advised(device, answer) && !is_in_verdict(device, answer)) {
      if (is_help)
        helping.push_back({text.answers.back(), saved_bytes(device, answer)});
      else
        text.does_not_help.push_back(text.answers.back());
    }
    is_replayed |= answer.circumstance != Circumstance::empty_cache &&
                   answer.circumstance != Circumstance::without_blocks && answer.outcome != Outcome::not_offered &&
                   answer.outcome != Outcome::no_matter;
  }
  add_answers(text, std::move(helping), device.request.has_value());
  if (device.first_step && !has_mistake(device))
    for (std::string& sentence : short_levers_text(device))
      text.does_not_help.push_back(std::move(sentence));
  if (is_replayed || !device.fidelity.settings_not_modelled.empty())
    text.answers.push_back(fidelity_text(device.fidelity));
  return text;
}

} // namespace memviz
