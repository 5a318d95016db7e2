#include "story/skipped_actions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

std::string clause(const std::vector<std::string_view>& names) {
  if (names.empty()) return "";
  return fmt::format("; it may have been recorded with skip_actions: no event is {}", fmt::join(names, " or "));
}

std::vector<std::string_view> lacking(const DeviceFigures& figures, std::initializer_list<Action> actions) {
  std::vector<std::string_view> names;
  for (const Action action : actions)
    if (!figures.has(action)) names.push_back(action_name(action));
  return names;
}

} // namespace

std::string skipped_frees_text(const DeviceFigures& figures) {
  if (figures.has(Action::free_completed)) return "";
  return clause(lacking(figures, {Action::free_requested, Action::free_completed}));
}

std::string skipped_outside_text(const DeviceFigures& figures) {
  if (!figures.has(Action::free_completed)) return figures.imbalance_bytes > 0 ? skipped_frees_text(figures) : "";
  if (!figures.has(Action::alloc)) return clause({action_name(Action::alloc)});
  const std::vector<std::string_view> of_segments =
      lacking(figures, {Action::segment_alloc, Action::segment_free, Action::segment_map, Action::segment_unmap});
  // If some of them exist, the missing ones may never have happened.
  return figures.balanced() && of_segments.size() == 4 ? clause(of_segments) : "";
}

std::string skipped_counterparts_text(const DeviceFigures& figures) {
  std::vector<std::string_view> names;
  const auto add = [&](Action made, Action given_back) {
    if (figures.has(made) != figures.has(given_back))
      names.push_back(action_name(figures.has(made) ? given_back : made));
  };
  add(Action::segment_alloc, Action::segment_free);
  add(Action::segment_map, Action::segment_unmap);
  return clause(names);
}

} // namespace memviz
