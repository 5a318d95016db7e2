#include "memviz/fit_server_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kErrorColumns = 500;
constexpr double kMostRequests = 1e12; // a server's log is not to be trusted with more

/// The error on one line, without the link to the server's documentation at its end.
std::string error_sentence(const std::string& error) {
  std::string text = error.substr(0, error.find(" See https://"));
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with('.') || text.ends_with(' '))
    text.pop_back();
  return elided(printable(text), kErrorColumns);
}

} // namespace

std::string server_name(const ServerFacts& server) {
  return printable(server.version.empty() ? server.name : server.name + ' ' + server.version);
}

std::string requests_text(const ServerFacts& server) {
  if (!server.requests_at_once || !(*server.requests_at_once >= 0)) return "unknown";
  const double requests = std::min(*server.requests_at_once, kMostRequests);
  return requests < 100 ? fmt::format("{:.3g}", requests) : format_count(static_cast<std::uint64_t>(requests));
}

std::string cache_text(const ServerFacts& server) {
  if (!server.cache_tokens) return "";
  std::string text = format_counted(*server.cache_tokens, "token");
  if (server.request_tokens)
    text += fmt::format(", {} requests of {} at once", requests_text(server),
                        format_counted(*server.request_tokens, "token"));
  return text;
}

std::string started_text(const ServerFacts& server) {
  if (!server.cache_bytes) return fmt::format("{} starts.", server_name(server));
  const std::string tokens = cache_text(server);
  return fmt::format("{} starts with a KV cache of {}{}.", server_name(server), format_bytes(*server.cache_bytes),
                     tokens.empty() ? "" : ": " + tokens);
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
  else
    list.push_back(
        fmt::format("{} answered no request over HTTP, so the peak of serving may be missing.", server_name(server)));
  list.emplace_back(
      "Memory that libraries take outside of PyTorch while kernels run is not made up, which makes the KV "
      "cache too large (by 0.24 to 0.27 GiB with vLLM 0.19 on an H100), nor is that of instantiated CUDA "
      "graphs (0.4 to 1.1 GiB).");
  return list;
}

} // namespace memviz::rehearse
