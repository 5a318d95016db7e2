#include "verdict/fit_doubt_words.hpp"

#include "memviz/format.hpp"
#include "verdict/fit_server_words.hpp"
#include "verdict/fit_values_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace memviz::rehearse {

namespace {

/// Small trainings on an H100 had 224 to 244 MiB of kernels and two handles of cuBLAS outside PyTorch.
constexpr std::uint64_t kKernelsOnH100Bytes = std::uint64_t{244} << 20U;
constexpr std::uint64_t kLeastKernelsOnH100Bytes = std::uint64_t{224} << 20U;
constexpr std::uint64_t kMoreKernelsBytes = std::uint64_t{4} << 20U;        ///< than the 240 MiB of its profile
constexpr std::uint64_t kHandlesInKernelsBytes = std::uint64_t{132} << 20U; ///< the two handles
/// The most that public reports say of NCCL's communicators, 6 GB (docs/rehearse.md, "Limits").
constexpr std::uint64_t kNcclBytes = 6'000'000'000;
/// Start-up logs of vLLM 0.19 on an H100 (docs/servers-truth.md) show at most this for all instantiated graphs, and for
/// what kernels and libraries take of one GPU while it profiles.
constexpr std::uint64_t kServerGraphsBytes = 1'181'116'006; // 1.1 GiB
constexpr std::uint64_t kServerOutsideBytes = 504'658'657;  // 0.47 GiB

std::uint64_t difference(std::optional<std::uint64_t> larger, std::optional<std::uint64_t> smaller) {
  return larger && smaller && *larger > *smaller ? *larger - *smaller : 0;
}

struct Uncounted {
  std::uint64_t bytes;
  std::string words;
  bool is_outside = false; ///< whether --outside counts it
};

std::vector<Uncounted> uncounted_of_server(const ServerFacts& server) {
  if (!lacks_graphs(server)) return {};
  return {{kServerGraphsBytes, fmt::format("instantiated CUDA graphs ({})", kGraphsElsewhere)}};
}

/// Returns how far a real context may be from the profile's figure, which is typical unless kernels were measured on
/// that GPU as well. No source has a range: a half is assumed.
std::uint64_t context_spread_bytes(const FitVerdict& verdict) {
  return verdict.profile.kernels_bytes > 0 || verdict.has_outside ? 0 : verdict.profile.context_bytes / 2;
}

/// Returns what kernels and libraries may take outside PyTorch in addition to what the profile counts.
std::vector<Uncounted> uncounted_kernels(const FitVerdict& verdict) {
  if (verdict.facts.kernel_launches == 0) return {};
  std::vector<Uncounted> list;
  if (const std::uint64_t counted_bytes = verdict.profile.kernels_bytes; counted_bytes == 0)
    list.push_back({kKernelsOnH100Bytes, "kernels and libraries (224 to 244 MiB on an H100; not measured here)"});
  else
    list.push_back({kMoreKernelsBytes, fmt::format("kernels and libraries (up to 244 MiB on an H100, {} are counted)",
                                                   format_bytes(counted_bytes))});
  if (verdict.facts.handle_bytes > kHandlesInKernelsBytes)
    list.push_back({verdict.facts.handle_bytes - kHandlesInKernelsBytes,
                    "more handles of libraries (cuBLAS 66 MiB, cuSOLVER 96 MiB, cuFFT 10 MiB on an H100)"});
  return list;
}

/// Returns how much more a program may take that decides by guesses, such as tokens spread evenly over experts, of
/// which one may get all. No source has a bound: as much again as in this run, compared with no tokens, is assumed.
std::uint64_t guesses_bytes(const FitVerdict& verdict) {
  const auto has_guesses = [](const ReadLine& read) { return read.guessed_count > 0; };
  if (!is_range(verdict) || std::ranges::none_of(verdict.facts.decisions, has_guesses)) return 0;
  return difference(peak_of(verdict), verdict.other_values->peak_bytes);
}

/// Returns what the rehearsal does not count, and how much that was elsewhere.
std::vector<Uncounted> uncounted(const FitVerdict& verdict) {
  std::vector<Uncounted> list;
  const RunFacts& facts = verdict.facts;
  if (facts.server) {
    list = uncounted_of_server(*facts.server);
  } else if (!verdict.has_outside) {
    list = uncounted_kernels(verdict);
    if (const std::uint64_t spread = context_spread_bytes(verdict); spread > 0)
      list.push_back({spread, fmt::format("a larger context ({} is a typical figure; up to half as much again is "
                                          "assumed)",
                                          format_bytes(verdict.profile.context_bytes))});
    const bool has_nccl =
        std::ranges::any_of(facts.notes, [](const std::string& note) { return note.starts_with("NCCL: "); });
    if (has_nccl) list.push_back({kNcclBytes, "NCCL's communicators (1 to 6 GB in public reports)"});
    for (Uncounted& one : list)
      one.is_outside = true;
  }
  if (const std::uint64_t bytes = guesses_bytes(verdict); bytes > 0)
    list.push_back({bytes, "other choices than those that are made up (such as tokens that go to one expert)"});
  const Profile& profile = verdict.profile;
  if (profile.system_bytes > 0 && facts.host_peak_bytes > 0)
    list.push_back(
        {facts.host_peak_bytes, fmt::format("the program's memory on the host ({} in this run), which the GPU shares",
                                            format_bytes(facts.host_peak_bytes))});
  if (profile.least_total_bytes > 0 && profile.least_total_bytes < profile.total_bytes)
    list.push_back(
        {profile.total_bytes - profile.least_total_bytes,
         fmt::format("{}, which leave {} of this GPU", profile.system_bytes > 0 ? "systems" : "other drivers",
                     format_bytes(profile.least_total_bytes - profile.system_bytes))});
  return list;
}

/// Returns what a real GPU may have in addition: what the rehearsal counts, and may not be taken there.
std::vector<Uncounted> overcounted(const FitVerdict& verdict) {
  std::vector<Uncounted> list;
  const Profile& profile = verdict.profile;
  if (profile.most_total_bytes > profile.total_bytes)
    list.push_back({profile.most_total_bytes - profile.total_bytes,
                    fmt::format("other drivers leave {} of this GPU", format_bytes(profile.most_total_bytes))});
  if (const std::uint64_t spread = context_spread_bytes(verdict); spread > 0)
    list.push_back({spread, fmt::format("the context, {}, is a typical figure, and half of it is assumed possible",
                                        format_bytes(profile.context_bytes))});
  const bool has_kernels = verdict.facts.kernel_launches > 0 && !verdict.has_outside;
  if (has_kernels && profile.kernels_bytes > kLeastKernelsOnH100Bytes)
    list.push_back({profile.kernels_bytes - kLeastKernelsOnH100Bytes,
                    fmt::format("kernels and libraries take 224 MiB in some programs, not the {} that are counted",
                                format_bytes(profile.kernels_bytes))});
  return list;
}

std::uint64_t sum_of(const std::vector<Uncounted>& list) {
  std::uint64_t bytes = 0;
  for (const Uncounted& one : list)
    bytes += one.bytes;
  return bytes;
}

std::string uncounted_text(const FitVerdict& verdict, const DeviceUse& use) {
  const std::vector<Uncounted> list = uncounted(verdict);
  const std::uint64_t most_bytes = sum_of(list);
  if (use.left_bytes() >= most_bytes) return "";
  std::vector<std::string_view> words;
  for (const Uncounted& one : list)
    words.push_back(one.words);
  return fmt::format("{} is left, and up to {} may go to what is not counted here: {}. On a real GPU it may run out of "
                     "memory.{}",
                     format_bytes(use.left_bytes()), format_bytes(most_bytes), fmt::join(words, "; "),
                     std::ranges::any_of(list, &Uncounted::is_outside) ? " --outside counts what is outside PyTorch."
                                                                       : "");
}

/// Returns what PyTorch's allocator takes from the device for a request of this size (kSmallBuffer, kLargeBuffer,
/// kRoundLarge of CUDACachingAllocator.cpp).
std::uint64_t taken_for(std::uint64_t asked_bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  if (asked_bytes <= kMiB) return 2 * kMiB;
  if (asked_bytes < 10 * kMiB) return 20 * kMiB;
  return (asked_bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
}

/// A program that is short of less than what a real GPU may have in addition. What it asks for after the request that
/// failed is unknown, unless it had ended a step.
std::string may_fit_text(const FitVerdict& verdict, const OutOfMemoryFact& oom) {
  if (verdict.facts.steps == 0) return "";
  const std::vector<Uncounted> list = overcounted(verdict);
  const std::uint64_t short_bytes = difference(taken_for(oom.asked_bytes), oom.free_bytes);
  const std::uint64_t more_bytes = sum_of(list);
  if (short_bytes == 0 || short_bytes >= more_bytes) return "";
  std::vector<std::string_view> words;
  for (const Uncounted& one : list)
    words.push_back(one.words);
  return fmt::format("{} is short for the request that failed, and a real GPU may have up to {} more: {}. There the "
                     "program may go on.",
                     format_bytes(short_bytes), format_bytes(more_bytes), fmt::join(words, "; "));
}

/// A server whose KV cache has hardly room for a request may refuse to start, because the cache is what other memory
/// leaves of its budget.
std::string small_cache_text(const ServerFacts& server) {
  if (!server.cache_bytes || !server.request_cache_bytes || !lacks_outside(server)) return "";
  if (*server.cache_bytes >= *server.request_cache_bytes + kServerOutsideBytes) return "";
  return fmt::format("The KV cache has room for {}, and one request takes {} of it; what kernels and libraries take is "
                     "missing (up to 0.47 GiB with vLLM 0.19 on an H100), so on a real GPU the server may not start.",
                     format_bytes(*server.cache_bytes), format_bytes(*server.request_cache_bytes));
}

std::string may_start_text(const ServerFacts& server, const OutOfMemoryFact& oom) {
  const std::uint64_t short_bytes = difference(oom.asked_bytes, oom.free_bytes);
  const std::uint64_t less_bytes = difference(server.outside_model_bytes, server.outside_least_bytes) +
                                   difference(server.graph_model_bytes, server.graph_least_bytes);
  if (short_bytes >= less_bytes) return "";
  return fmt::format("{} is short, and the driver may take up to {} less than in its model: on a real GPU the server "
                     "may start.",
                     format_bytes(short_bytes), format_bytes(less_bytes));
}

std::string model_text(const ServerFacts& server, const DeviceUse& use) {
  const std::uint64_t more_bytes = difference(server.outside_most_bytes, server.outside_model_bytes) +
                                   difference(server.graph_most_bytes, server.graph_model_bytes);
  if (use.left_bytes() >= more_bytes) return "";
  return fmt::format(
      "{} is left, and the driver may take up to {} more than in its model: on a real GPU the server may run "
      "out of memory.",
      format_bytes(use.left_bytes()), format_bytes(more_bytes));
}

} // namespace

bool lacks_kernels(const FitVerdict& verdict) {
  return std::ranges::any_of(verdict.facts.notes, [](const std::string& note) { return note.starts_with(kNoKernels); });
}

std::uint64_t uncounted_bytes(const FitVerdict& verdict) {
  return sum_of(uncounted(verdict));
}

std::string doubt_text(const FitVerdict& verdict) {
  const auto& server = verdict.facts.server;
  if (verdict.outcome == FitOutcome::does_not_fit) {
    if (verdict.facts.ooms.empty()) return "";
    const OutOfMemoryFact& oom = verdict.facts.ooms.front();
    return server ? may_start_text(*server, oom) : may_fit_text(verdict, oom);
  }
  const DeviceUse* const use = fullest(verdict.facts);
  if (verdict.outcome != FitOutcome::fits || use == nullptr) return "";
  std::string text = uncounted_text(verdict, *use);
  if (text.empty() && server) text = model_text(*server, *use);
  if (text.empty() && server) text = small_cache_text(*server);
  return text;
}

bool is_sure(const FitVerdict& verdict) {
  if (!doubt_text(verdict).empty()) return false;
  if (verdict.outcome == FitOutcome::fits && lacks_kernels(verdict)) return false;
  const bool are_sure = std::ranges::all_of(verdict.neighbours, &Neighbour::is_sure);
  if (verdict.outcome == FitOutcome::fits && !are_sure) return false;
  if (verdict.outcome != FitOutcome::does_not_fit)
    return verdict.outcome == FitOutcome::fits && unknown_text(verdict).empty();
  const auto& end = verdict.other_end;
  return !(end && end->outcome == FitOutcome::fits) &&
         !(is_range(verdict) && verdict.other_values->outcome == FitOutcome::fits);
}

} // namespace memviz::rehearse
