#include "answers/scope_options.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

/// Returns the word for a moment that a command has without --at.
std::string_view usual_word(MomentKind kind) {
  if (kind == MomentKind::automatic) return "auto";
  return kind == MomentKind::peak ? "peak" : "end";
}

} // namespace

OptionText device_text() {
  return with_words(
      {"device", '\0', "N|host|all", "only this device: a GPU's number, or host for pinned host memory (default: all)"},
      {"host", "all"});
}

OptionList<Scope> scope_options(const Scope& usual) {
  return {
      parsed(device_text(), &Scope::device, parse_device),
      parsed(with_words({"at", '\0', "MOMENT",
                         fmt::format("end, peak, oom (the last out-of-memory error), event:N, time:MICROSECONDS, "
                                     "annotation:NAME or annotation:NAME#K (its K-th start), or auto: for each device "
                                     "oom if it has one, else peak, else (without events) end (default: {})",
                                     usual_word(usual.at.kind))},
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

std::uint64_t parse_event(std::string_view option, const std::string& word) {
  constexpr std::string_view kEvent = "event:";
  const std::string_view digits = word;
  const auto event = whole_number<std::uint64_t>(digits.starts_with(kEvent) ? digits.substr(kEvent.size()) : digits);
  if (event) return *event;
  throw UsageError(fmt::format("--{} must be the index of an event, such as 1234, not '{}'", option, word));
}

OptionList<SnapshotQuestion> snapshot_part_options() {
  return {parsed({"from", '\0', "EVENT", "begin with this event of the device (default: the first)"},
                 &SnapshotQuestion::from, parse_event),
          parsed({"to", '\0', "EVENT", "end with this event of the device (default: the last)"}, &SnapshotQuestion::to,
                 parse_event)};
}

} // namespace memviz
