#include "verdict/fit_server_text.hpp"

#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "verdict/fit_server_words.hpp"
#include "verdict/fit_words.hpp"

#include <fmt/format.h>
#include <optional>

namespace memviz::rehearse {

std::string server_table(const ServerFacts& server) {
  TextTable table{Align::left, Align::right, Align::left};
  bool is_empty = true;
  const auto add = [&](const char* part, const std::optional<std::uint64_t>& bytes, const std::string& more = "") {
    if (!bytes) return;
    table.add_row({part, format_bytes(*bytes), more});
    is_empty = false;
  };
  add("weights", server.weights_bytes);
  add("peak of activations", server.activation_bytes, "in a forward pass with the most tokens");
  add("outside of PyTorch", rehearsed_outside_bytes(server),
      lacks_outside(server) ? "not counted for this server on this GPU" : "");
  add("outside, a model", server.outside_model_bytes,
      model_range(server.outside_least_bytes, server.outside_most_bytes));
  add("KV cache", server.cache_bytes, cache_text(server));
  add("CUDA graphs", rehearsed_graph_bytes(server),
      lacks_graphs(server) ? fmt::format("and what the driver takes ({})", kGraphsElsewhere) : "");
  add("graphs, a model", server.graph_model_bytes, graph_model_text(server));
  add("limit of the server", server.budget_bytes, "decides the size of the KV cache");
  add("GPU, while awake", server.awake_peak_bytes, "the most in use, with all that the program has");
  add("GPU, while waking", server.waking_peak_bytes, "with only a part of the server awake");
  add("GPU, while asleep", server.asleep_peak_bytes,
      server.sleeps ? fmt::format("fell asleep {}", format_counted(*server.sleeps, "time")) : "");
  return is_empty ? "" : fmt::format("\n{} on one GPU\n", server_name(server)) + table.text("  ");
}

} // namespace memviz::rehearse
