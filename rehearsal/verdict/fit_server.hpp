#pragma once

// The figures of a rehearsed inference server (vLLM, SGLang): how it divided the GPU's memory when it started.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// All sizes are bytes of one GPU, the largest over the server's processes; nullopt if the server did not get that far.
struct ServerFacts {
  std::string name;                    ///< "vLLM"
  std::string version;                 ///< "0.19.0"
  std::vector<std::string> added = {}; ///< options that the rehearsal added: "--load-format dummy"
  bool has_started = false;            ///< it made its KV cache, or answered over HTTP
  bool is_over_http = false;           ///< the program is an HTTP server, not a script that uses the engine
  bool is_ended = false;               ///< the rehearsal ended it after its requests
  std::optional<std::uint64_t> weights_bytes = {};
  std::optional<std::uint64_t> activation_bytes = {}; ///< the peak of a forward pass minus the weights
  std::optional<std::uint64_t> outside_bytes = {};    ///< outside PyTorch's allocator, as its profile run measured
  std::optional<std::uint64_t> budget_bytes = {};     ///< the budget that the server sets itself, without CUDA graphs
  std::optional<std::uint64_t> cache_bytes = {};      ///< size of the KV cache
  std::optional<std::uint64_t> graph_bytes = {};      ///< memory of CUDA graphs
  std::optional<std::uint64_t> request_cache_bytes = {}; ///< KV cache for one request of the maximum length
  // The part of outside_bytes and of graph_bytes that comes from a model of the driver instead of the rehearsal, and
  // its range.
  std::optional<std::uint64_t> outside_model_bytes = {};
  std::optional<std::uint64_t> outside_least_bytes = {};
  std::optional<std::uint64_t> outside_most_bytes = {};
  std::optional<std::uint64_t> graph_model_bytes = {};
  std::optional<std::uint64_t> graph_least_bytes = {};
  std::optional<std::uint64_t> graph_most_bytes = {};
  std::optional<std::uint64_t> graphs = {};      ///< graphs that were instantiated
  std::optional<std::uint64_t> graph_nodes = {}; ///< nodes of all of these
  // The highest use of the GPU by the whole program while the server slept (vLLM's sleep mode).
  std::optional<std::uint64_t> awake_peak_bytes = {};
  std::optional<std::uint64_t> waking_peak_bytes = {}; ///< while only its weights, or only its KV cache, were awake
  std::optional<std::uint64_t> asleep_peak_bytes = {};
  std::optional<std::uint64_t> sleeps = {};         ///< how often it fell asleep
  std::optional<std::uint64_t> cache_tokens = {};   ///< capacity of the KV cache
  std::optional<std::uint64_t> request_tokens = {}; ///< length of the longest request
  std::optional<double> requests_at_once = {};      ///< requests of that length that the KV cache holds
  std::uint64_t requests = 0;                       ///< answered in the rehearsal
  std::uint64_t tokens_of_request = 0;
  std::string error = {}; ///< "ValueError: No available memory ...", the first, or the first for want of memory
};

/// Whether an error of vLLM or SGLang means that the GPU has too little memory.
[[nodiscard]] bool is_memory_error(std::string_view error);

} // namespace memviz::rehearse
