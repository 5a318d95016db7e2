#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz {
namespace {

MomentChoice choice_of(std::string_view option, std::uint64_t event, std::optional<DeviceId> device) {
  return {.kind = MomentKind::event,
          .event = EventIndex(event),
          .device = device,
          .option = fmt::format("--{} {}", option, event)};
}

} // namespace

Wants wants_of(const SnapshotQuestion& question) {
  if (question.to) return {.moment = choice_of("to", *question.to, question.scope.device), .events = true};
  return {.moment = moment_of(question.scope), .events = true};
}

SnapshotPart part_of(const SnapshotQuestion& question, const Loaded& loaded) {
  SnapshotPart part{.device = question.scope.device};
  if (!question.from) return part;
  const MomentChoice first = choice_of("from", *question.from, part.device);
  check_moment(first, loaded.name, loaded.state.devices);
  for (const DeviceState& device : loaded.state.devices_of(part.device))
    if (device.figures.events > 0 && device.moment.event < first.event)
      throw UsageError(fmt::format("{}: what is written of {} ends with event {}", first.option, device_name(device),
                                   device.moment.event.number()));
  part.first_event = *question.from;
  return part;
}

} // namespace memviz
