#include "cli/scope.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::cli {

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

OptionText device_text() {
  return with_words(
      {"device", '\0', "N|host|all", "only this device: a GPU's number, or host for pinned host memory (default: all)"},
      {"host", "all"});
}

OptionList<Scope> scope_options(std::string_view usual) {
  return {
      parsed(device_text(), &Scope::device, parse_device),
      parsed(with_words(
                 {"at", '\0', "MOMENT",
                  fmt::format(
                      "end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, annotation:NAME or "
                      "annotation:NAME#K (where it starts, for the K-th time), or auto: of each device oom where it "
                      "has one, else peak, else (without events) end (default: {})",
                      usual)},
                 {"auto", "end", "peak", "oom", "event:", "time:", "annotation:"}),
             &Scope::at, parse_moment),
  };
}

std::optional<DeviceId> parse_device(std::string_view option, const std::string& word) {
  if (word == "all") return std::nullopt;
  if (word == device_word(kHostDevice)) return kHostDevice;
  const auto device = whole_number<std::uint32_t>(word);
  if (!device || is_host({*device}))
    throw UsageError(fmt::format("--{} must be a number, host or all, not '{}'", option, word));
  return DeviceId{*device};
}

MomentChoice moment_of(MomentChoice choice, std::optional<DeviceId> device) {
  if (choice.kind == MomentKind::event) choice.device = device;
  return choice;
}

void check_device(const std::string& file, const Recording& recording, std::optional<DeviceId> device) {
  const auto present = recording.devices();
  if (!device || std::find(present.begin(), present.end(), *device) != present.end()) return;
  if (present.empty())
    throw UsageError(
        fmt::format("--device {}: {} has no segments and no events on any device", device_word(*device), file));
  std::vector<std::string> words;
  for (const DeviceId id : present)
    words.push_back(device_word(id));
  throw UsageError(
      fmt::format("--device {}: {} has no such device; it has {}", device_word(*device), file, fmt::join(words, ", ")));
}

} // namespace memviz::cli
