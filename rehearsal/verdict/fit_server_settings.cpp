#include "verdict/fit_server_settings.hpp"

#include "memviz/format.hpp"
#include "verdict/fit_server_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>

namespace memviz::rehearse {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr double kMostGib = 1e6;          // an error is not to be trusted with more
constexpr double kPrintedErrorGib = 0.01; // of a difference of two sizes with two decimals

constexpr std::string_view kWithOneRequest = "with a KV cache for one request of the longest length";

/// Returns the number that follows `before` in a server's error.
std::optional<double> number_after(std::string_view text, std::string_view before) {
  const std::size_t found = text.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + before.size());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0 && number <= kMostGib)) return std::nullopt;
  return number;
}

/// The sizes of a rehearsed GPU and of the server on it, in GiB.
class Shortage {
public:
  explicit Shortage(const FitVerdict& verdict)
      : verdict_(verdict), server_(*verdict.facts.server), total_gib_(gib(verdict.profile.total_bytes)),
        free_gib_(
            gib(verdict.profile.total_bytes - std::min(verdict.profile.total_bytes, verdict.profile.context_bytes))) {}

  [[nodiscard]] std::vector<std::string> settings() const {
    if (total_gib_ <= 0) return {};
    if (!server_.weights_bytes) return without_weights();
    std::vector<std::string> list = server_.name == "SGLang" ? of_sglang() : of_vllm();
    if (list.empty() && verdict_.facts.oom_count > 0) list = of_allocator();
    return list;
  }

private:
  static double gib(std::optional<std::uint64_t> bytes) { return static_cast<double>(bytes.value_or(0)) / kGib; }
  static std::string share(double hundredths) { return fmt::format("{:.2f}", hundredths / 100); }

  [[nodiscard]] bool says(std::string_view phrase) const { return server_.error.find(phrase) != std::string::npos; }

  /// The weights did not fit, or the server did not get to the point of loading them.
  [[nodiscard]] std::vector<std::string> without_weights() const {
    const auto free = number_after(server_.error, "Free memory on device cuda:0 (");
    if (free && says("less than desired GPU memory utilization"))
      return {fmt::format("At most --gpu-memory-utilization {}: {:.2f} GiB of {:.2f} GiB are free when it starts.",
                          share(std::floor(100 * *free / total_gib_)), *free, total_gib_)};
    if (verdict_.facts.oom_count == 0) return {};
    return {"The weights alone do not fit: use fewer bits per weight (--quantization, or a quantised model), or more "
            "GPUs (--tensor-parallel-size)."};
  }

  [[nodiscard]] std::vector<std::string> of_vllm() const {
    if (!server_.budget_bytes) return {};
    const double budget_gib = gib(server_.budget_bytes);
    if (says("No available memory for the cache blocks")) {
      const double used_gib = gib(server_.weights_bytes) + gib(server_.activation_bytes) + gib(server_.outside_bytes);
      if (!server_.request_cache_bytes)
        return {utilization(used_gib, "More than", "for the weights and a forward pass, before any KV cache")};
      return {utilization(used_gib + gib(server_.request_cache_bytes), "", kWithOneRequest)};
    }
    const auto needed = number_after(server_.error, "), (");
    const auto available = number_after(server_.error, "KV cache memory (");
    if (!needed || !available || *needed < *available) return {};
    std::vector<std::string> list;
    if (const auto length = number_after(server_.error, "estimated maximum model length is "))
      list.push_back(fmt::format("--max-model-len {:.0f}, by the server's own estimate.", *length));
    list.push_back(utilization(budget_gib + *needed - *available + kPrintedErrorGib, "", kWithOneRequest));
    return list;
  }

  /// Returns the utilization that allows vLLM this much memory in addition to CUDA graphs.
  [[nodiscard]] std::string utilization(double needed_gib, std::string_view bound, std::string_view what) const {
    const double hundredths = std::ceil(100 * needed_gib / total_gib_);
    if (hundredths / 100 * total_gib_ > free_gib_)
      return fmt::format(
          "No --gpu-memory-utilization is enough: vLLM needs {:.2f} GiB {}, and {:.2f} GiB are free when "
          "it starts. --max-num-batched-tokens, --kv-cache-dtype, --quantization and "
          "--tensor-parallel-size change that.",
          needed_gib, what, free_gib_);
    return fmt::format("{}{}--gpu-memory-utilization {}: {:.2f} GiB {}.", bound, bound.empty() ? "" : " ",
                       share(hundredths), needed_gib, what);
  }

  [[nodiscard]] std::vector<std::string> of_sglang() const {
    if (!says("Please try to increase --mem-fraction-static") || free_gib_ <= 0) return {};
    const double hundredths = std::floor(100 * gib(server_.weights_bytes) / free_gib_) + 1;
    if (hundredths >= 100) return {"No --mem-fraction-static is enough: the weights alone take all of the GPU."};
    return {fmt::format("More than --mem-fraction-static {}: the weights take {:.2f} GiB, before any KV cache.",
                        share(hundredths), gib(server_.weights_bytes))};
  }

  /// The KV cache exists, and a later step found too little memory.
  [[nodiscard]] std::vector<std::string> of_allocator() const {
    if (!server_.cache_bytes || verdict_.facts.ooms.empty()) return {};
    const OutOfMemoryFact& oom = verdict_.facts.ooms.back();
    const double lacking_gib = gib(oom.asked_bytes) - gib(oom.free_bytes);
    const bool is_sglang = server_.name == "SGLang";
    if (!(lacking_gib > 0) || (!is_sglang && !server_.budget_bytes)) return {};
    const std::string lacking =
        fmt::format("{} was asked for and {} free, so the KV cache of {} is too large by at "
                    "least {}",
                    format_bytes(oom.asked_bytes), format_bytes(oom.free_bytes), format_bytes(*server_.cache_bytes),
                    format_bytes(oom.asked_bytes - oom.free_bytes));
    if (is_sglang)
      return {fmt::format("A lower --mem-fraction-static, by {}: {}.", share(std::ceil(100 * lacking_gib / free_gib_)),
                          lacking)};
    const double parts_gib = gib(server_.weights_bytes) + gib(server_.activation_bytes) + gib(server_.outside_bytes) +
                             gib(server_.cache_bytes) + gib(server_.graph_bytes);
    if (parts_gib - free_gib_ > lacking_gib)
      return at_most(parts_gib - free_gib_, fmt::format("weights, a forward pass, the KV cache and CUDA graphs take "
                                                        "{:.2f} GiB, and {:.2f} GiB are free when it starts",
                                                        parts_gib, free_gib_));
    return at_most(lacking_gib, lacking);
  }

  [[nodiscard]] std::vector<std::string> at_most(double lacking_gib, std::string_view why) const {
    const double hundredths = std::floor(100 * (gib(server_.budget_bytes) - lacking_gib) / total_gib_);
    if (hundredths <= 0) return {};
    return {
        fmt::format("At most --gpu-memory-utilization {}, or a smaller --max-num-seqs or --max-num-batched-tokens: {}.",
                    share(hundredths), why)};
  }

  const FitVerdict& verdict_;
  const ServerFacts& server_;
  double total_gib_;
  double free_gib_; ///< when the server starts
};

} // namespace

std::vector<std::string> settings_that_start(const FitVerdict& verdict) {
  if (verdict.outcome != FitOutcome::does_not_fit || !verdict.facts.server) return {};
  return Shortage(verdict).settings();
}

} // namespace memviz::rehearse
