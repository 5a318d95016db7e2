#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace memviz {

Scope automatic_scope() {
  Scope scope;
  scope.at.kind = MomentKind::automatic;
  return scope;
}

Scope peak_scope() {
  Scope scope;
  scope.at.kind = MomentKind::peak;
  return scope;
}

MomentChoice moment_of(MomentChoice choice, std::optional<DeviceId> device) {
  if (choice.kind == MomentKind::event) choice.device = device;
  return choice;
}

void check_device(const std::string& file, const Recording& recording, std::optional<DeviceId> device) {
  const auto present = recording.devices();
  if (!device || std::ranges::find(present, *device) != present.end()) return;
  if (present.empty())
    throw UsageError(
        fmt::format("--device {}: {} has no segments and no events on any device", device_word(*device), file));
  std::vector<std::string> words;
  for (const DeviceId id : present)
    words.push_back(device_word(id));
  throw UsageError(
      fmt::format("--device {}: {} has no such device; it has {}", device_word(*device), file, fmt::join(words, ", ")));
}

Loaded loaded_from(Session& session, const Wants& wants, std::optional<DeviceId> device) {
  Loaded loaded{session.open(wants), session.options().name};
  check_device(loaded.name, *loaded.state.recording, device);
  return loaded;
}

std::string picture_name(const std::string& file) {
  return file == "-" ? "standard input" : std::string(file_basename(file));
}

} // namespace memviz
