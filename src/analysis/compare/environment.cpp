#include "memviz/environment.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// Keeps the last value of a setting that the file names twice.
std::map<std::string_view, std::string_view> settings_by_name(const Recording& recording) {
  std::map<std::string_view, std::string_view> settings;
  for (const auto& [name, value] : recording.settings)
    settings[recording.frames.text(name)] = recording.frames.text(value);
  return settings;
}

std::optional<std::string> known_text(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::optional<std::string> made_up_gpu(const Recording& recording) {
  return recording.origin.rehearsal ? known_text(recording.origin.rehearsal->gpu) : std::nullopt;
}

void add_if_different(std::vector<EnvironmentChange>& changes, EnvironmentChange change) {
  if (change.before != change.after) changes.push_back(std::move(change));
}

void add_settings(std::vector<EnvironmentChange>& changes, const Recording& before, const Recording& after) {
  const auto settings_before = settings_by_name(before);
  const auto settings_after = settings_by_name(after);
  if (settings_before.empty() != settings_after.empty()) {
    const auto state = [](const auto& settings) {
      return settings.empty() ? std::nullopt : std::optional<std::string>("recorded");
    };
    changes.push_back({"allocator settings", state(settings_before), state(settings_after)});
    return;
  }
  std::map<std::string_view, EnvironmentChange> all;
  for (const auto& [name, value] : settings_before)
    all[name] = {std::string(name), std::string(value), std::nullopt};
  for (const auto& [name, value] : settings_after) {
    EnvironmentChange& change = all[name];
    change.name = name;
    change.after = value;
  }
  for (auto& [name, change] : all)
    add_if_different(changes, std::move(change));
}

} // namespace

std::vector<EnvironmentChange> environment_changes(const Recording& before, const Recording& after) {
  std::vector<EnvironmentChange> changes;
  add_if_different(changes, {"written by", known_text(before.origin.generation), known_text(after.origin.generation)});
  add_if_different(changes, {"made-up GPU", made_up_gpu(before), made_up_gpu(after)});
  add_settings(changes, before, after);
  return changes;
}

} // namespace memviz
