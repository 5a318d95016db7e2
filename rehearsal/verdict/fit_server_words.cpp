#include "verdict/fit_server_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kErrorColumns = 500;
constexpr double kMostRequests = 1e12; // a server's log is not to be trusted with more

/// Returns a sentence with the error of a server over HTTP that answered none of its requests; "" for any other.
std::string failure_of_requests(const ServerFacts& server) {
  const bool was_asked = !server.is_ended || server.tokens_of_request > 0;
  if (!server.is_over_http || !was_asked || server.requests > 0 || server.error.empty()) return "";
  return fmt::format(" It answered no request: {}.", error_sentence(server.error));
}

std::optional<std::uint64_t> without(const std::optional<std::uint64_t>& all,
                                     const std::optional<std::uint64_t>& part) {
  if (!all) return all;
  return *all - std::min(*all, part.value_or(0));
}

/// "478,048 tokens, 58.4 requests of 8,192 tokens at once"; "" if the tokens are unknown.
std::string tokens_text(const ServerFacts& server) {
  if (!server.cache_tokens) return "";
  std::string text = format_counted(*server.cache_tokens, "token");
  if (server.request_tokens)
    text += fmt::format(", {} {} of {} at once", requests_text(server),
                        server.requests_at_once == 1.0 ? "request" : "requests",
                        format_counted(*server.request_tokens, "token"));
  return text;
}

} // namespace

std::string error_sentence(const std::string& error) {
  std::string text = error;
  for (const char* const end : {" See https://", " [type=", " If reserved but unallocated"})
    text.resize(std::min(text.size(), text.find(end)));
  std::ranges::replace(text, '\n', ' ');
  const auto are_spaces = [](char one, char other) { return one == ' ' && other == ' '; };
  text.erase(std::unique(text.begin(), text.end(), are_spaces), text.end());
  while (text.ends_with('.') || text.ends_with(' '))
    text.pop_back();
  return elided(printable(text), kErrorColumns);
}

std::string server_name(const ServerFacts& server) {
  return printable(server.version.empty() ? server.name : server.name + ' ' + server.version);
}

bool lacks_outside(const ServerFacts& server) {
  const bool came_that_far = server.has_started || server.outside_bytes;
  return came_that_far && !server.outside_model_bytes && server.outside_bytes.value_or(0) == 0;
}

bool lacks_graphs(const ServerFacts& server) {
  return server.graphs.value_or(0) > 0 && !server.graph_model_bytes;
}

std::string requests_text(const ServerFacts& server) {
  if (!server.requests_at_once || !(*server.requests_at_once >= 0)) return "unknown";
  const double requests = std::min(*server.requests_at_once, kMostRequests);
  return requests < 100 ? fmt::format("{:.3g}", requests) : format_count(static_cast<std::uint64_t>(requests));
}

std::string cache_text(const ServerFacts& server) {
  const std::string text = tokens_text(server);
  return text.empty() || !lacks_outside(server) ? text : "at most " + text;
}

std::optional<std::uint64_t> rehearsed_outside_bytes(const ServerFacts& server) {
  return without(server.outside_bytes, server.outside_model_bytes);
}

std::optional<std::uint64_t> rehearsed_graph_bytes(const ServerFacts& server) {
  return without(server.graph_bytes, server.graph_model_bytes);
}

std::string model_range(const std::optional<std::uint64_t>& least, const std::optional<std::uint64_t>& most) {
  return least && most ? fmt::format("{} to {}", format_bytes(*least), format_bytes(*most)) : "";
}

std::string graph_model_text(const ServerFacts& server) {
  std::string text = model_range(server.graph_least_bytes, server.graph_most_bytes);
  if (server.graphs && server.graph_nodes)
    text += fmt::format("{}for {} of {}", text.empty() ? "" : ", ", format_counted(*server.graphs, "graph"),
                        format_counted(*server.graph_nodes, "node"));
  return text;
}

std::string started_text(const ServerFacts& server) {
  const std::string failure = failure_of_requests(server);
  if (!server.cache_bytes) return fmt::format("{} starts.{}", server_name(server), failure);
  const std::string tokens = tokens_text(server);
  return fmt::format("{} starts with a KV cache of {}{}{}.{}", server_name(server),
                     lacks_outside(server) ? "at most " : "", format_bytes(*server.cache_bytes),
                     tokens.empty() ? "" : ": " + tokens, failure);
}

std::string refused_text(const ServerFacts& server) {
  if (server.error.empty()) return "";
  return fmt::format("{} {}: {}.", server_name(server), server.has_started ? "ended" : "did not start",
                     error_sentence(server.error));
}

std::vector<std::string> server_notes(const ServerFacts& server) {
  std::vector<std::string> list;
  if (!server.added.empty())
    list.push_back(
        printable(fmt::format("Added to the options of {}: {}.", server_name(server), fmt::join(server.added, ", "))));
  if (!server.has_started) return list;
  if (server.requests > 0)
    list.push_back(
        fmt::format("{} answered {} of {}{}.", server_name(server), format_counted(server.requests, "request"),
                    format_counted(server.tokens_of_request, "token"), server.is_ended ? " and was ended then" : ""));
  else if (server.is_over_http)
    list.push_back(
        fmt::format("{} answered no request over HTTP, so the peak of serving may be missing.", server_name(server)));
  if (server.sleeps.value_or(0) > 0)
    list.push_back(fmt::format("{} slept: PyTorch and the recording count its memory as in use meanwhile. The peak, "
                               "and the peaks while it was awake and asleep, are the GPU's.",
                               server_name(server)));
  if (server.outside_model_bytes)
    list.emplace_back("The memory that kernels take outside PyTorch is modelled, from start-up logs of vLLM 0.19.0 on "
                      "an H100; --outside replaces it.");
  else if (lacks_outside(server))
    list.emplace_back("The memory that libraries take outside PyTorch while kernels run is missing, because there is "
                      "no model for this server on this GPU. So the KV cache is too large; use --outside to set it.");
  if (server.graph_model_bytes)
    list.emplace_back("The memory that the driver takes for instantiated CUDA graphs is modelled, from start-up logs "
                      "of vLLM 0.19.0 on an H100.");
  else if (lacks_graphs(server))
    list.push_back(fmt::format("The memory that the driver takes for instantiated CUDA graphs is missing ({}).",
                               kGraphsElsewhere));
  return list;
}

} // namespace memviz::rehearse
