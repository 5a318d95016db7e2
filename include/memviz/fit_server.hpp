#pragma once

// The figures of an inference server (vLLM, SGLang) that was rehearsed: the memory that it found at its start.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// All sizes are bytes of one GPU, the largest of any of the server's processes; nothing where the server did not
/// come that far.
struct ServerFacts {
  std::string name;                    ///< "vLLM"
  std::string version;                 ///< "0.19.0"
  std::vector<std::string> added = {}; ///< options that the rehearsal added: "--load-format dummy"
  bool has_started = false;            ///< it made its KV cache, or answered over HTTP
  bool is_over_http = false;           ///< the program is an HTTP server, not a script that uses the engine
  bool is_ended = false;               ///< by the rehearsal, after its requests
  std::optional<std::uint64_t> weights_bytes = {};
  std::optional<std::uint64_t> activation_bytes = {}; ///< the peak of a forward pass beyond the weights
  std::optional<std::uint64_t> outside_bytes = {};    ///< outside of PyTorch's allocator, as its profile run found
  std::optional<std::uint64_t> budget_bytes = {};     ///< the most that the server allows itself, without CUDA graphs
  std::optional<std::uint64_t> cache_bytes = {};      ///< the KV cache
  std::optional<std::uint64_t> graph_bytes = {};      ///< CUDA graphs
  std::optional<std::uint64_t> request_cache_bytes = {}; ///< the KV cache that one request of the longest length needs
  // The part of outside_bytes and of graph_bytes that is not rehearsed but from a model of the driver, and its range.
  std::optional<std::uint64_t> outside_model_bytes = {};
  std::optional<std::uint64_t> outside_least_bytes = {};
  std::optional<std::uint64_t> outside_most_bytes = {};
  std::optional<std::uint64_t> graph_model_bytes = {};
  std::optional<std::uint64_t> graph_least_bytes = {};
  std::optional<std::uint64_t> graph_most_bytes = {};
  std::optional<std::uint64_t> graphs = {};      ///< that were instantiated
  std::optional<std::uint64_t> graph_nodes = {}; ///< of all of these
  // The most memory of the GPU in use by the whole program, where the server slept (vLLM's sleep mode).
  std::optional<std::uint64_t> awake_peak_bytes = {};
  std::optional<std::uint64_t> waking_peak_bytes = {}; ///< while only its weights, or only its KV cache, were awake
  std::optional<std::uint64_t> asleep_peak_bytes = {};
  std::optional<std::uint64_t> sleeps = {};         ///< how often it fell asleep
  std::optional<std::uint64_t> cache_tokens = {};   ///< that the KV cache holds
  std::optional<std::uint64_t> request_tokens = {}; ///< the longest request
  std::optional<double> requests_at_once = {};      ///< of the longest, that the KV cache holds
  std::uint64_t requests = 0;                       ///< that it answered in the rehearsal
  std::uint64_t tokens_of_request = 0;
  std::string error = {}; ///< "ValueError: No available memory ...", the first, or the first for want of memory
};

/// Whether an error of vLLM or SGLang says that the GPU has too little memory.
[[nodiscard]] bool is_memory_error(std::string_view error);

} // namespace memviz::rehearse
