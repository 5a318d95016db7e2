#include "verdict/fit_model_words.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>
#include <optional>

namespace memviz::rehearse {

namespace {

std::uint64_t difference(std::optional<std::uint64_t> larger, std::optional<std::uint64_t> smaller) {
  return larger && smaller && *larger > *smaller ? *larger - *smaller : 0;
}

} // namespace

std::string model_doubt_text(const FitVerdict& verdict) {
  if (!verdict.facts.server) return "";
  const ServerFacts& server = *verdict.facts.server;
  if (verdict.outcome == FitOutcome::does_not_fit && !verdict.facts.ooms.empty()) {
    const OutOfMemoryFact& oom = verdict.facts.ooms.front();
    const std::uint64_t short_bytes = difference(oom.asked_bytes, oom.free_bytes);
    const std::uint64_t less_bytes = difference(server.outside_model_bytes, server.outside_least_bytes) +
                                     difference(server.graph_model_bytes, server.graph_least_bytes);
    if (short_bytes >= less_bytes) return "";
    return fmt::format("{} is short, and the driver may take up to {} less than in its model: on a real GPU the server "
                       "may start.",
                       format_bytes(short_bytes), format_bytes(less_bytes));
  }
  const DeviceUse* const use = fullest(verdict.facts);
  const std::uint64_t more_bytes = difference(server.outside_most_bytes, server.outside_model_bytes) +
                                   difference(server.graph_most_bytes, server.graph_model_bytes);
  if (verdict.outcome != FitOutcome::fits || use == nullptr || use->left_bytes() >= more_bytes) return "";
  return fmt::format(
      "{} is left, and the driver may take up to {} more than in its model: on a real GPU the server may run "
      "out of memory.",
      format_bytes(use->left_bytes()), format_bytes(more_bytes));
}

} // namespace memviz::rehearse
