#include "story/kinds_advice.hpp"

#include "memviz/format.hpp"
#include "story/explain_figures.hpp"
#include "story/kind_totals.hpp"
#include "story/pass_words.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace memviz {

namespace {

/// The minimum bytes in use for which sharding or checkpointing is advised although nothing failed: 4 GiB.
constexpr std::uint64_t kLeastUnaskedBytes = 4ULL << 30U;

/// A way to reduce a kind, and the minimum share of the memory in use, in percent, for which it is advised: some
/// activations remain with every checkpointing, and parameters are the purpose of a program.
struct Remedy {
  std::string_view what;
  std::string_view how;
  std::uint64_t least_percent;
};

std::optional<Remedy> remedy_of(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::activation:
    return Remedy{"Keep fewer activations",
                  "activation checkpointing (torch.utils.checkpoint), a smaller batch, shorter sequences", 30};
  case MemoryKind::optimizer_state:
    return Remedy{"Make the optimizer's state smaller", "shard it (ZeRO, FSDP), keep it in 8 bits, or on the CPU", 20};
  case MemoryKind::gradient:
    return Remedy{"Make gradients smaller", "shard them (ZeRO-2, FSDP), or keep them in fewer bits", 20};
  case MemoryKind::parameter:
    return Remedy{"Make parameters smaller", "shard them (FSDP), or keep them in fewer bits", 40};
  case MemoryKind::parameter_or_state:
    return Remedy{"Make parameters and the optimizer's state smaller",
                  "shard them (ZeRO, FSDP), or keep them in fewer bits", 40};
  case MemoryKind::kv_cache:
    return Remedy{"Make the KV cache smaller",
                  "a lower gpu_memory_utilization in vLLM, a lower mem_fraction_static in SGLang, elsewhere fewer or "
                  "shorter sequences at once; or keep its size and serve less at once (max_num_seqs, max_model_len, "
                  "max_num_batched_tokens)",
                  20};
  default: return std::nullopt;
  }
}

std::uint64_t checkpointing_bytes(const DeviceExplanation& device) {
  return device.pass ? device.pass->checkpointing_bytes : 0;
}

/// Returns about what the remedy frees: half of it, unless more is known.
std::uint64_t freed_bytes(const DeviceExplanation& device, const KindPart& part) {
  return part.kind == MemoryKind::activation ? std::max(part.bytes / 2, checkpointing_bytes(device)) : part.bytes / 2;
}

/// Checkpointing is named only if it frees enough.
std::string how_text(const DeviceExplanation& device, const KindPart& part, const Remedy& remedy) {
  if (part.kind != MemoryKind::activation || !device.request) return std::string(remedy.how);
  constexpr std::string_view kLess = "a smaller batch, shorter sequences";
  const std::uint64_t bytes = checkpointing_bytes(device);
  if (bytes < lacking_bytes(device)) return std::string(kLess);
  return fmt::format("checkpointing each layer (torch.utils.checkpoint), which frees about {}, {}", format_bytes(bytes),
                     kLess);
}

} // namespace

std::vector<std::string> kinds_advice(const DeviceExplanation& device) {
  const Verdict verdict = device.judgement.verdict;
  const bool is_full = verdict == Verdict::exhaustion ||
                       (verdict == Verdict::in_use && is_mostly_used(device.ledger)) ||
                       (verdict == Verdict::fragmentation && is_nearly_full(device));
  if (!is_full || !has_known(device.kinds)) return {};
  const std::uint64_t in_use_bytes = device.device_state.figures.requested_bytes;
  std::vector<std::string> advice;
  for (const KindPart& part : kind_parts(device.kinds)) {
    const std::optional<Remedy> remedy = remedy_of(part.kind);
    if (!remedy || part.bytes / 100 < in_use_bytes / 10'000 * remedy->least_percent) continue;
    if (device.request && freed_bytes(device, part) < lacking_bytes(device)) continue;
    if (!device.request && part.bytes < kLeastUnaskedBytes) continue;
    // A server deliberately gives all remaining memory to its cache.
    if (!device.request && part.kind == MemoryKind::kv_cache) continue;
    const std::string missing =
        device.request ? fmt::format("; {} was missing", format_bytes(lacking_bytes(device))) : "";
    advice.push_back(fmt::format("{} ({}, {} of requested memory{}): {}.", remedy->what, format_bytes(part.bytes),
                                 format_percent(part.bytes, in_use_bytes), missing, how_text(device, part, *remedy)));
  }
  return advice;
}

} // namespace memviz
