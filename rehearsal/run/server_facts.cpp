#include "run/server_facts.hpp"

#include "run/json_members.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace memviz::rehearse {

namespace {

using Number = std::optional<std::uint64_t> ServerFacts::*;

/// Sizes and numbers, of which the largest of any process counts.
constexpr std::array<std::pair<const char*, Number>, 19> kSizes{{
    {"weights_bytes", &ServerFacts::weights_bytes},
    {"activation_bytes", &ServerFacts::activation_bytes},
    {"outside_bytes", &ServerFacts::outside_bytes},
    {"budget_bytes", &ServerFacts::budget_bytes},
    {"cache_bytes", &ServerFacts::cache_bytes},
    {"graph_bytes", &ServerFacts::graph_bytes},
    {"request_cache_bytes", &ServerFacts::request_cache_bytes},
    {"outside_model_bytes", &ServerFacts::outside_model_bytes},
    {"outside_least_bytes", &ServerFacts::outside_least_bytes},
    {"outside_most_bytes", &ServerFacts::outside_most_bytes},
    {"graph_model_bytes", &ServerFacts::graph_model_bytes},
    {"graph_least_bytes", &ServerFacts::graph_least_bytes},
    {"graph_most_bytes", &ServerFacts::graph_most_bytes},
    {"graphs", &ServerFacts::graphs},
    {"graph_nodes", &ServerFacts::graph_nodes},
    {"awake_peak_bytes", &ServerFacts::awake_peak_bytes},
    {"waking_peak_bytes", &ServerFacts::waking_peak_bytes},
    {"asleep_peak_bytes", &ServerFacts::asleep_peak_bytes},
    {"sleeps", &ServerFacts::sleeps},
}};

/// Counts, of which the last one counts.
constexpr std::array<std::pair<const char*, Number>, 2> kCounts{{
    {"cache_tokens", &ServerFacts::cache_tokens},
    {"request_tokens", &ServerFacts::request_tokens},
}};

void add_figures(ServerFacts& facts, const nlohmann::json& event) {
  for (const auto& [key, member] : kSizes)
    if (const auto bytes = known_number(event, key)) facts.*member = std::max(*bytes, (facts.*member).value_or(0));
  for (const auto& [key, member] : kCounts)
    if (const auto count = known_number(event, key)) facts.*member = count;
  const auto at_once = event.find("requests_at_once");
  if (at_once != event.end() && at_once->is_number()) facts.requests_at_once = at_once->get<double>();
  if (facts.cache_tokens && facts.request_tokens && *facts.request_tokens > 0 && !facts.requests_at_once)
    facts.requests_at_once = static_cast<double>(*facts.cache_tokens) / static_cast<double>(*facts.request_tokens);
  facts.requests += number(event, "requests");
  facts.tokens_of_request = std::max(facts.tokens_of_request, number(event, "tokens_of_request"));
}

} // namespace

void add_server_event(std::optional<ServerFacts>& facts, const nlohmann::json& event) {
  if (!facts) facts.emplace();
  if (facts->name.empty()) {
    facts->name = text(event, "name");
    facts->version = text(event, "version");
  }
  const std::string added = text(event, "added");
  if (!added.empty() && std::ranges::find(facts->added, added) == facts->added.end()) facts->added.push_back(added);
  add_figures(*facts, event);
  facts->has_started = facts->has_started || facts->cache_bytes || flag(event, "ready");
  facts->is_over_http = facts->is_over_http || flag(event, "over_http");
  facts->is_ended = facts->is_ended || flag(event, "ended");
  if (facts->is_ended) return; // one with several HTTP servers finds that one of them is missing
  const std::string error = text(event, "error");
  if (facts->error.empty() || (!is_memory_error(facts->error) && is_memory_error(error))) facts->error = error;
}

} // namespace memviz::rehearse
