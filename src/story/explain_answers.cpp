#include "story/explain_answers.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/explain_figures.hpp"
#include "story/pass_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {

namespace {

constexpr std::size_t kMostAnswerLines = 3;

/// Returns the end of a sentence that is true only under a condition that the file does not show.
std::string condition_text(const WhatIf& answer) {
  if (answer.proviso == Proviso::capture)
    return ", unless a CUDA graph was being captured, which this file does not show: then no memory is returned.";
  if (answer.proviso != Proviso::start) return ".";
  return answer.circumstance == Circumstance::expandable_segments
             ? " if the memory allocated before the first event was packed together, which this file does not show."
             : " if that was already so before the first event, which this file does not show.";
}

/// Returns the fact that is missing for an answer; "" if there is none.
std::string missing_fact(Proviso proviso) {
  switch (proviso) {
  case Proviso::capture:
    return "the file does not show whether a CUDA graph was being captured, or a private pool in use";
  case Proviso::request_size: return "the file does not show the size of the request before it was rounded up";
  case Proviso::release: return "the file does not show whether the program or the allocator returned memory";
  case Proviso::pages: return "the file does not show which pages were unmapped before the first event";
  case Proviso::lost_events:
    return "the first events of the recording were lost, and with them where their memory would be";
  case Proviso::start:
  case Proviso::none: break;
  }
  return "";
}

std::string saved(const DeviceExplanation& device, const WhatIf& answer, const std::string& circumstance) {
  const std::string would_be =
      fmt::format("{}, {} would be reserved instead of {}", circumstance,
                  format_bytes(answer.reserved_bytes.value_or(0)), format_bytes(device.ledger.reserved_bytes));
  if (answer.outcome == Outcome::fits) return would_be + ".";
  return answer.outcome == Outcome::at_best ? would_be + condition_text(answer)
                                            : circumstance + " no less would be reserved.";
}

/// Returns why the model does not follow the recording, as far as the file shows it.
std::string cause_of_miss(const DeviceExplanation& device) {
  if (device.ledger.no_segment_bytes > 0) return ": the file shows memory in use outside all segments";
  if (device.settings.collects_garbage)
    return ": garbage_collection_threshold is set, and the file does not show the limit that it refers to";
  if (device.device_state.figures.baseline_bytes > 0)
    return ": the file does not show the order in which the segments from before the first event were made";
  return "";
}

/// Returns the answer for a circumstance that is replayed from the first event on.
std::string replayed(const DeviceExplanation& device, const WhatIf& answer, const std::string& circumstance) {
  if (answer.outcome == Outcome::not_offered) {
    if (const auto& settings = device.fidelity.settings_not_modelled; !settings.empty())
      return fmt::format("{}: unknown, because the model of the allocator does not know what {} changes.", circumstance,
                         fmt::join(settings, ", "));
    if (!device.fidelity.reproduces() && device.fidelity.allocs == 0)
      return circumstance + ": unknown, because the file records no allocation to replay.";
    if (const std::string fact = missing_fact(answer.proviso); !fact.empty())
      return fmt::format("{}: unknown, because {}.", circumstance, fact);
    if (device.fidelity.reproduces())
      return circumstance + ": unknown, because the file does not show what made the request fail.";
    return fmt::format("{}: unknown, because the model of the allocator misses this recording's reserved memory by up "
                       "to {} of {}{}.",
                       circumstance, format_bytes(device.fidelity.largest_error_bytes),
                       format_bytes(device.fidelity.largest_reserved_bytes), cause_of_miss(device));
  }
  if (!device.request) return saved(device, answer, circumstance);
  if (answer.outcome == Outcome::fits)
    return fmt::format("{} the request would have fit, with {} reserved before it{}.", circumstance,
                       format_bytes(answer.reserved_bytes.value_or(0)), shortfall_text(device, answer));
  if (answer.outcome == Outcome::at_best) return circumstance + " the request would have fit" + condition_text(answer);
  if (!answer.failed_event.is_none())
    return fmt::format("{} memory would have run out earlier, at event {}.", circumstance,
                       format_count(answer.failed_event.value()));
  return circumstance + " the request would not have fit either.";
}

std::string split_answer(const DeviceExplanation& device, const WhatIf& answer) {
  if (answer.outcome == Outcome::does_not_fit) {
    std::string sizes;
    for (const std::uint64_t bytes : kSplitSizesBytes)
      sizes += fmt::format("{}{}", sizes.empty() ? "" : bytes == kSplitSizesBytes.back() ? " or " : ", ", bytes >> 20U);
    return "With max_split_size_mb of " + sizes + " the request would not have fit either.";
  }
  return replayed(device, answer, "With " + split_setting(answer));
}

std::string order_text(std::optional<FreeBlockOrder> order) {
  if (!order) return "";
  return *order == FreeBlockOrder::address
             ? ", where equal free blocks are taken by address, as PyTorch did before 2.13"
             : ", where equal free blocks are taken by the age of their segment, as PyTorch does from 2.13 on";
}

std::string empty_cache(const DeviceExplanation& device, const WhatIf& answer) {
  if (answer.outcome == Outcome::not_offered) return "";
  if (device.request && answer.outcome == Outcome::fits)
    return "After torch.cuda.empty_cache() the request would have fit: no memory is returned while a graph is "
           "captured.";
  if (device.request)
    return "torch.cuda.empty_cache() would not have helped: before a request fails, PyTorch returns everything that "
           "this call would.";
  const std::uint64_t given_back = saved_bytes(device, answer);
  if (given_back == 0) return "torch.cuda.empty_cache() has nothing to return.";
  return fmt::format("torch.cuda.empty_cache() would return {} to the device.", format_bytes(given_back));
}

} // namespace

std::string split_setting(const WhatIf& answer) {
  return fmt::format("max_split_size_mb:{}", answer.value_bytes >> 20U);
}

std::string lines_in_the_way(const MemoryState& state, const DeviceExplanation& device) {
  const std::vector<UserLine>& lines = device.in_the_way;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostAnswerLines); ++i)
    parts.push_back(fmt::format(
        "{} ({}{})", elided(node_label(state.frames(), lines[i].key), kNameColumns),
        format_bytes(lines[i].amount.bytes),
        lines[i].amount.blocks > 1 ? fmt::format(", {} blocks", format_count(lines[i].amount.blocks)) : ""));
  if (lines.size() > kMostAnswerLines)
    parts.push_back(fmt::format("{} more lines", format_count(lines.size() - kMostAnswerLines)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string answer_text(const MemoryState& state, const DeviceExplanation& device, const WhatIf& answer) {
  switch (answer.circumstance) {
  case Circumstance::expandable_segments:
    if (answer.outcome == Outcome::no_matter) return "expandable_segments was already on.";
    return replayed(device, answer, "With expandable_segments:True");
  case Circumstance::empty_cache: return empty_cache(device, answer);
  case Circumstance::without_blocks:
    if (answer.outcome == Outcome::not_offered) return "";
    if (answer.outcome == Outcome::does_not_fit && is_out_of_reach(device))
      return fmt::format("Freeing all blocks would not have helped either: the request is larger than PyTorch's memory "
                         "and the device's free memory together, {}.",
                         format_bytes(within_reach_bytes(device.ledger)));
    if (answer.outcome == Outcome::does_not_fit)
      return "No set of blocks was found that would have made room" + condition_text(answer);
    return fmt::format("Without {} ({}) the request would have fit{}: {}{}",
                       answer.blocks.size() == 1 ? "one block" : format_count(answer.blocks.size()) + " blocks",
                       format_bytes(answer.blocks_bytes), shortfall_text(device, answer),
                       lines_in_the_way(state, device), condition_text(answer));
  case Circumstance::one_stream: return replayed(device, answer, "With everything on one stream");
  case Circumstance::no_private_pools: return replayed(device, answer, "Without private pools");
  case Circumstance::no_rounding: return replayed(device, answer, "Without roundup_power2_divisions");
  case Circumstance::no_split_limit: return replayed(device, answer, "Without max_split_size_mb");
  case Circumstance::max_split_size: return split_answer(device, answer);
  }
  return "";
}

std::string fidelity_text(const Fidelity& fidelity) {
  if (!fidelity.settings_not_modelled.empty())
    return fmt::format("PYTORCH_CUDA_ALLOC_CONF has {}, which the model of the allocator does not know: it may not "
                       "reproduce this recording.",
                       fmt::join(fidelity.settings_not_modelled, ", "));
  const std::string precision =
      fidelity.largest_error_bytes == 0
          ? "to the byte"
          : "within " + format_percent(fidelity.largest_error_bytes, fidelity.largest_reserved_bytes);
  return fmt::format("The model of the allocator reproduces this recording's reserved memory {} over {} and "
                     "puts {} of them at their recorded address{}.",
                     precision, format_counted(fidelity.allocs, "allocation"),
                     format_percent(fidelity.same_places, fidelity.allocs), order_text(fidelity.free_block_order));
}

} // namespace memviz
