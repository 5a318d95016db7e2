#include "story/explain_verdict.hpp"

#include "analysis/tree/no_stack_account.hpp"
#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_figures.hpp"
#include "story/explain_words.hpp"
#include "story/kind_totals.hpp"
#include "story/no_stack_words.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

std::string unclear(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const std::string start = "Unknown, because this file does not add up: ";
  if (ledger.unaccounted_bytes > 0)
    return start + fmt::format("no block covers {} of {} reserved; it is damaged or edited.",
                               format_bytes(ledger.unaccounted_bytes), format_bytes(ledger.reserved_bytes));
  if (!ledger.device_free_bytes) return start + "the driver did not report the device's free memory.";
  if (ledger.capacity_bytes && !ledger.outside_bytes)
    return start + fmt::format("PyTorch held {} and the device had {} free, together more than the capacity given, {}.",
                               format_bytes(ledger.reserved_bytes), format_bytes(*ledger.device_free_bytes),
                               format_bytes(*ledger.capacity_bytes));
  if (device.judgement.needed_bytes > 0)
    return start + fmt::format("the request takes {} from the device, which had {} free. A memory limit "
                               "(set_per_process_memory_fraction), another process or the driver may be the cause; "
                               "a snapshot does not record that.",
                               format_bytes(device.judgement.needed_bytes), format_bytes(*ledger.device_free_bytes));
  return start + fmt::format("a free piece of {} in the request's own pool and stream would have held it.",
                             format_bytes(ledger.largest_hole_bytes));
}

std::string exhaustion(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const Judgement& judgement = device.judgement;
  std::string text = fmt::format("Exhaustion: all free memory together, {} of the device and {} inside PyTorch, is ",
                                 format_bytes(ledger.device_free_bytes.value_or(0)),
                                 format_bytes(ledger.room.total_bytes() + ledger.pending_bytes));
  if (device.request->bytes > judgement.reachable_bytes)
    text += fmt::format("{} less than the request.", format_bytes(short_bytes(device)));
  else
    text += fmt::format("{} less than the {} that PyTorch takes from the device at once for such a request.",
                        format_bytes(short_bytes(device)), format_bytes(judgement.alone_bytes));
  if (ledger.capacity_bytes && device.request->bytes > *ledger.capacity_bytes)
    text += " The request alone is larger than the device, so freeing memory cannot help.";
  else if (is_out_of_reach(device))
    text += fmt::format(" The request alone is larger than PyTorch's memory and the device's free memory together, {}, "
                        "so freeing memory cannot help.",
                        format_bytes(within_reach_bytes(ledger)));
  else if (device.request->bytes > in_use_bytes(ledger))
    text += fmt::format(" The request alone is larger than all memory in use, {}.", format_bytes(in_use_bytes(ledger)));
  return text;
}

std::string combined_causes_text(const DeviceExplanation& device) {
  return device.judgement.only_together
             ? fmt::format(" No single cause would have been enough: all free memory together is {}.",
                           format_bytes(device.judgement.reachable_bytes))
             : "";
}

/// The missing piece was small: it does not help a program that holds almost everything.
std::string nearly_full(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  if (!is_nearly_full(device) || (device.judgement.verdict == Verdict::fragmentation && !ledger.is_fragmented()))
    return "";
  return fmt::format(" Still, {} of PyTorch's memory was in use: look first at who holds it.",
                     format_percent(in_use_bytes(ledger), ledger.reserved_bytes));
}

/// Returns the free memory, and why the request could not have it; or, if nothing failed, why it is kept.
std::string free_memory_text(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  const FreeRoom& room = ledger.room;
  const std::string of_reserved = "of " + format_bytes(ledger.reserved_bytes) + " reserved";
  const bool failed = device.request.has_value();
  switch (device.judgement.verdict) {
  case Verdict::fragmentation:
    if (failed && !ledger.is_fragmented())
      return fmt::format(
          "Full: {} of PyTorch's memory was in use, and the {} free inside its segments was in pieces of "
          "at most {}.",
          format_percent(in_use_bytes(ledger), ledger.reserved_bytes), format_bytes(room.hard_bytes),
          format_bytes(ledger.largest_hole_bytes));
    if (failed)
      return fmt::format("Fragmentation: {} was free inside PyTorch's segments, but in pieces of at most {}.",
                         format_bytes(room.hard_bytes), format_bytes(ledger.largest_hole_bytes));
    return fmt::format(
        "Fragmentation: {} {} is free between blocks in use, in pieces of at most {}, and cannot be returned.",
        format_bytes(room.hard_bytes), of_reserved, format_bytes(ledger.largest_hole_bytes));
  case Verdict::stream:
    return fmt::format("Stream: {} {} is free, but in segments of {} streams; a free block serves only the stream that "
                       "it was allocated for.",
                       format_bytes(room.stream_bytes), of_reserved, failed ? "other" : "side");
  case Verdict::size_class:
    return fmt::format("Size class: {} {} is free, but next to {} blocks; requests {} 1 MiB have their own segments.",
                       format_bytes(room.other_size_bytes), of_reserved, device.request->is_small() ? "large" : "small",
                       device.request->is_small() ? "of up to" : "above");
  case Verdict::private_pool:
    if (failed && device.request->pool.is_private())
      return fmt::format(
          "Private pool: {} {} is free, but in other pools than the private one that the request is for.",
          format_bytes(room.private_pool_bytes), of_reserved);
    return fmt::format("Private pool: {} {} is free, but in private pools (CUDA graphs, MemPool), which {} cannot use.",
                       format_bytes(room.private_pool_bytes), of_reserved,
                       failed ? "the request" : "the rest of the program");
  case Verdict::pending_free:
    if (ledger.late_free_bytes > 0)
      return fmt::format("Pending frees: {} {} was freed, but still waited for another stream (record_stream) when "
                         "PyTorch searched its memory. PyTorch then waited for all streams, which completed the free, "
                         "but did not search again (github.com/pytorch/pytorch/issues/189504).",
                         format_bytes(ledger.late_free_bytes), of_reserved);
    return fmt::format("Pending frees: {} {} is freed but still waits for other streams (record_stream).",
                       format_bytes(ledger.pending_bytes), of_reserved);
  case Verdict::rounding:
    return fmt::format("Rounding: {} {} is what the allocator added to the program's requests, {} of these{}.",
                       format_bytes(ledger.rounding_bytes), of_reserved,
                       format_percent(ledger.rounding_bytes, ledger.live_bytes),
                       device.settings.rounds_up() ? "; roundup_power2_divisions is set" : "");
  case Verdict::idle:
    if (failed)
      return fmt::format("Cache: {} {} is in wholly free segments or pages, which PyTorch did not return. It does so "
                         "before a request fails, but not while a CUDA graph is captured.",
                         format_bytes(room.soft_bytes), of_reserved);
    return fmt::format("Cache: {} {} is in wholly free segments or pages; nothing keeps it.",
                       format_bytes(room.soft_bytes), of_reserved);
  default: return "";
  }
}

/// Returns what is in use: its kinds if at least half of it is known, else who holds most of it.
std::string in_use_text(const FrameTable& frames, const DeviceExplanation& device) {
  const std::uint64_t requested_bytes = device.device_state.figures.requested_bytes;
  if (is_mostly_known(device.kinds))
    return fmt::format("In use: of {} requested, {}.", format_bytes(requested_bytes), kind_shares_text(device.kinds));
  if (device.users.empty()) return "In use: nothing of it was requested.";
  const UserLine& user = device.users.front();
  const std::string share = fmt::format("{} of {} requested", format_percent(user.amount.bytes, requested_bytes),
                                        format_bytes(requested_bytes));
  if (has_no_stack(user.key)) return fmt::format("In use: {} has no stack: {}.", share, reason_text(user.key));
  return fmt::format("In use: {} holds {}.", elided(node_label(frames, user.key), kNameColumns), share);
}

} // namespace

bool has_kinds_in_verdict(const DeviceExplanation& device) {
  return device.judgement.verdict == Verdict::in_use && !is_uncached(device.device_state) &&
         is_mostly_used(device.ledger) && is_mostly_known(device.kinds);
}

std::string verdict_text(const FrameTable& frames, const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  switch (device.judgement.verdict) {
  case Verdict::exhaustion: return exhaustion(device);
  case Verdict::unclear: return unclear(device);
  case Verdict::outside:
    return fmt::format("Outside PyTorch: {} of {} is neither free nor PyTorch's: other processes, {}, "
                       "libraries such as NCCL. PyTorch itself held {}.",
                       format_bytes(*ledger.outside_bytes), format_bytes(*ledger.capacity_bytes),
                       words_of(device.device_state.device_kind).context, format_bytes(ledger.reserved_bytes));
  case Verdict::in_use:
    if (is_uncached(device.device_state)) return "In use: all recorded main memory; nothing caches it.";
    if (!is_mostly_used(ledger))
      return fmt::format("Partly in use: {} of reserved memory is in use, {} is free.",
                         format_percent(in_use_bytes(ledger), ledger.reserved_bytes),
                         format_bytes(ledger.room.total_bytes()));
    return in_use_text(frames, device);
  case Verdict::empty: return "Empty: nothing is reserved.";
  default: return free_memory_text(device) + combined_causes_text(device) + nearly_full(device);
  }
}

} // namespace memviz
