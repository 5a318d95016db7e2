#include "export/explain_answers.hpp"
#include "memviz/explain.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

std::uint64_t used_bytes(const MemoryLedger& ledger) {
  return ledger.live_bytes + ledger.rounding_bytes + ledger.pending_bytes;
}

std::string headline(const Snapshot& state, const DeviceExplanation& device) {
  const std::string name = device_name(device.stats.device, device.stats.is_cpu);
  const MemoryLedger& ledger = device.ledger;
  if (!device.request) {
    const std::string held = ledger.reserved_bytes == 0
                                 ? "nothing is reserved"
                                 : fmt::format("{} of {} reserved is live", format_bytes(ledger.live_bytes),
                                               format_bytes(ledger.reserved_bytes));
    return fmt::format("{} {}: {}.", name, moment_text(device.stats.at, device.stats.events), held);
  }
  return fmt::format("{} ran out of memory: {} asked for by {}; the device had {} free, and of {} that PyTorch held {} "
                     "was in use.",
                     name, format_bytes(device.request->bytes),
                     elided(node_label(state.frames, device.asking_line), 60),
                     ledger.device_free_bytes ? format_bytes(*ledger.device_free_bytes) : "an unknown amount",
                     format_bytes(ledger.reserved_bytes), format_percent(used_bytes(ledger), ledger.reserved_bytes));
}

std::string title(const DeviceExplanation& device) {
  const std::string name = device_name(device.stats.device, device.stats.is_cpu);
  const MemoryLedger& ledger = device.ledger;
  if (device.request)
    return fmt::format("{} ran out of memory: {} asked for, {} free", name, format_bytes(device.request->bytes),
                       ledger.device_free_bytes ? format_bytes(*ledger.device_free_bytes) : "unknown");
  if (ledger.reserved_bytes == 0) return name + ": nothing is reserved";
  return fmt::format("{}: {} of {} reserved is live", name, format_bytes(ledger.live_bytes),
                     format_bytes(ledger.reserved_bytes));
}

std::string unclear(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const std::string start = "Does not add up from this file: ";
  if (ledger.unaccounted_bytes > 0)
    return start + fmt::format("no block covers {} of {} reserved; it is damaged or edited.",
                               format_bytes(ledger.unaccounted_bytes), format_bytes(ledger.reserved_bytes));
  if (!ledger.device_free_bytes) return start + "the driver did not say how much memory the device had free.";
  if (ledger.capacity_bytes && !ledger.outside_bytes)
    return start + fmt::format("PyTorch held {} and the device had {} free, together more than the capacity given, {}.",
                               format_bytes(ledger.reserved_bytes), format_bytes(*ledger.device_free_bytes),
                               format_bytes(*ledger.capacity_bytes));
  if (device.judgement.missing_bytes == 0)
    return start + fmt::format("the request takes {} from the device, which had {} free. A memory limit "
                               "(set_per_process_memory_fraction), another process or the driver may have taken part; "
                               "no snapshot tells.",
                               format_bytes(device.judgement.needed_bytes), format_bytes(*ledger.device_free_bytes));
  return start + fmt::format("a free run of {} in the request's own pool and stream would have held it.",
                             format_bytes(ledger.largest_hole_bytes));
}

std::string exhaustion(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const Judgement& judgement = device.judgement;
  std::string text = fmt::format(
      "Exhaustion: all free memory together, {} of the device and {} inside PyTorch, is {} less than the request.",
      format_bytes(ledger.device_free_bytes.value_or(0)),
      format_bytes(ledger.room.total_bytes() + ledger.pending_bytes),
      format_bytes(device.request->bytes - judgement.reachable_bytes));
  if (ledger.capacity_bytes && device.request->bytes > *ledger.capacity_bytes)
    text += " The request alone is larger than the device.";
  else if (device.request->bytes > ledger.live_bytes)
    text +=
        fmt::format(" The request alone is larger than everything that was live, {}.", format_bytes(ledger.live_bytes));
  return text;
}

std::string together(const DeviceExplanation& device) {
  return device.judgement.only_together
             ? fmt::format(" No single cause would have been enough: all free memory together is {}.",
                           format_bytes(device.judgement.reachable_bytes))
             : "";
}

/// Memory that was free, and why the request could not have it; or, where nothing failed, why it is kept.
std::string kept(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const FreeRoom& room = ledger.room;
  const std::string of_reserved = "of " + format_bytes(ledger.reserved_bytes) + " reserved";
  const bool failed = device.request.has_value();
  switch (device.judgement.verdict) {
  case Verdict::fragmentation:
    if (failed)
      return fmt::format("Fragmentation: {} was free inside PyTorch's segments, but in pieces of at most {}.",
                         format_bytes(room.hard_bytes + room.soft_bytes + room.other_size_bytes),
                         format_bytes(ledger.largest_hole_bytes));
    return fmt::format("Fragmentation: {} {} is free between blocks in use, in pieces of at most {}, and cannot be "
                       "given back.",
                       format_bytes(room.hard_bytes), of_reserved, format_bytes(ledger.largest_hole_bytes));
  case Verdict::stream:
    return fmt::format("Stream: {} {} is free, but in segments of {} streams; a free block serves only the stream that "
                       "it was allocated for.",
                       format_bytes(room.stream_bytes), of_reserved, failed ? "other" : "side");
  case Verdict::private_pool:
    return fmt::format("Private pool: {} {} is free, but in private pools (CUDA graphs, MemPool), which {} cannot use.",
                       format_bytes(room.private_pool_bytes), of_reserved,
                       failed ? "the request" : "the rest of the program");
  case Verdict::pending_free:
    return fmt::format("Pending frees: {} {} is freed but still waits for other streams (record_stream).",
                       format_bytes(ledger.pending_bytes), of_reserved);
  case Verdict::idle:
    return fmt::format("Cache: {} {} is in wholly free segments or pages; nothing keeps it.",
                       format_bytes(room.soft_bytes), of_reserved);
  default: return "";
  }
}

std::string verdict(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  switch (device.judgement.verdict) {
  case Verdict::exhaustion: return exhaustion(device);
  case Verdict::unclear: return unclear(device);
  case Verdict::outside:
    return fmt::format("Outside PyTorch: {} of {} is neither free nor PyTorch's: other processes, the CUDA context, "
                       "libraries such as NCCL. PyTorch itself held {}.",
                       format_bytes(*ledger.outside_bytes), format_bytes(*ledger.capacity_bytes),
                       format_bytes(ledger.reserved_bytes));
  case Verdict::in_use:
    return fmt::format("In use: {} of what is reserved is used.",
                       format_percent(used_bytes(ledger), ledger.reserved_bytes));
  case Verdict::empty: return "Empty: nothing is reserved.";
  default: return kept(device) + together(device);
  }
}

std::vector<std::string> reasons(const DeviceExplanation& device) {
  std::vector<std::string> text;
  const MemoryLedger& ledger = device.ledger;
  if (device.request && ledger.outside_bytes && device.judgement.verdict != Verdict::outside)
    text.push_back(
        fmt::format("Of the device's {}, {} is neither PyTorch's nor free: other processes, the CUDA context, "
                    "libraries.",
                    format_bytes(*ledger.capacity_bytes), format_bytes(*ledger.outside_bytes)));
  if (device.request && !ledger.capacity_bytes)
    text.push_back(
        fmt::format("Not told: memory outside PyTorch. It is what the device has beyond {}, and no snapshot says "
                    "how much that is: give it with --capacity.",
                    format_bytes(ledger.reserved_bytes + ledger.device_free_bytes.value_or(0))));
  if (device.request && !device.request->pool_is_known && ledger.room.private_pool_bytes > 0)
    text.emplace_back("Assumed: the request was for the default pool. Files before 2026 do not say.");
  if (device.settings.collects_garbage) text.emplace_back("Not modelled: garbage_collection_threshold, which is set.");
  return text;
}

} // namespace

ExplanationText in_words(const Snapshot& state, const Replay& replay, const DeviceExplanation& device) {
  ExplanationText text;
  text.title = title(device);
  text.headline = headline(state, device);
  text.verdict = verdict(device);
  text.reasons = reasons(device);
  bool is_replayed = false;
  for (const WhatIf& answer : device.what_ifs) {
    text.answers.push_back(answer_text(state, replay, device, answer));
    is_replayed |= answer.circumstance != Circumstance::empty_cache &&
                   answer.circumstance != Circumstance::without_blocks && answer.outcome != Outcome::not_offered &&
                   answer.outcome != Outcome::no_matter;
  }
  if (is_replayed) text.answers.push_back(fidelity_text(device.fidelity));
  text.advice = advice_text(state, replay, device);
  return text;
}

} // namespace memviz
