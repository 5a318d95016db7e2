#pragma once

// The figures of a rehearsed inference server -> sentences about them.

#include "verdict/fit_server.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// Returns an error on one line, without its additions: a link to the server's documentation, pydantic's input, or
/// PyTorch's advice on fragmentation.
[[nodiscard]] std::string error_sentence(const std::string& error);

/// The memory that the driver took for instantiated CUDA graphs where it was measured.
inline constexpr std::string_view kGraphsElsewhere = "0.5 to 1.1 GiB with vLLM 0.19 on an H100";

/// "vLLM 0.19.0"
[[nodiscard]] std::string server_name(const ServerFacts& server);
/// The number of requests of full length that the KV cache holds: "58.4", or "unknown".
[[nodiscard]] std::string requests_text(const ServerFacts& server);
/// "478,048 tokens, 58.4 requests of 8,192 tokens at once", after "at most" where other memory is not counted; "" if
/// the tokens are unknown.
[[nodiscard]] std::string cache_text(const ServerFacts& server);
/// Whether what kernels and libraries take outside PyTorch is neither given nor modelled, so that the KV cache of a
/// real GPU is smaller.
[[nodiscard]] bool lacks_outside(const ServerFacts& server);
/// Whether what the driver takes for its CUDA graphs is not modelled.
[[nodiscard]] bool lacks_graphs(const ServerFacts& server);
/// Returns the server's figures without the parts that came from a model.
[[nodiscard]] std::optional<std::uint64_t> rehearsed_outside_bytes(const ServerFacts& server);
[[nodiscard]] std::optional<std::uint64_t> rehearsed_graph_bytes(const ServerFacts& server);
/// "246 MiB to 276 MiB"; "" if either is unknown.
[[nodiscard]] std::string model_range(const std::optional<std::uint64_t>& least,
                                      const std::optional<std::uint64_t>& most);
/// "470 MiB to 636 MiB, for 1,734 graphs of 9,000 nodes"
[[nodiscard]] std::string graph_model_text(const ServerFacts& server);
/// "vLLM 0.19.0 starts with a KV cache of 58.4 GiB: 478,048 tokens, 58.4 requests of 8,192 tokens at once."
[[nodiscard]] std::string started_text(const ServerFacts& server);
/// "vLLM 0.19.0 did not start: ValueError: No available memory for the cache blocks."; "" if it reported no error.
[[nodiscard]] std::string refused_text(const ServerFacts& server);
/// Returns sentences about the added options, the answered requests, and the missing memory.
[[nodiscard]] std::vector<std::string> server_notes(const ServerFacts& server);

} // namespace memviz::rehearse
