#include "cli/frame/perfetto_output.hpp"

#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "memviz/contents.hpp"
#include "memviz/error.hpp"
#include "memviz/perfetto.hpp"
#include "memviz/second_pass.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace memviz::cli {

namespace {

/// Writes the stacks of the memory that is live at the peak, at the last error and at the end.
void write_moments(Session& session, const MemoryState& end, const PerfettoOutput& subject, const TextSink& write) {
  const std::optional<DeviceId> device = subject.device;
  const auto stacks_at = [&](MomentKind kind, const MemoryState& state) {
    write_perfetto_stacks({state, resolved(subject.tree, state, device), kind}, write);
  };
  const std::span<const DeviceState> devices = end.devices_of(device);
  const auto happens = [&](const auto& count) {
    return std::ranges::any_of(devices, [&](const DeviceState& one) { return one.figures.*count > 0; });
  };
  if (happens(&DeviceFigures::events))
    stacks_at(MomentKind::peak, session.open({.moment = {.kind = MomentKind::peak}}).state);
  if (happens(&DeviceFigures::ooms))
    stacks_at(MomentKind::oom, session.open({.moment = {.kind = MomentKind::oom}}).state);
  stacks_at(MomentKind::end, end);
}

/// The trace of the profiler, as packets.
struct Profile {
  ProfilerTimes times;
  std::string packets;
};

Profile read_profile(const std::string& file) {
  return naming_file(file, [&] {
    Contents contents(file);
    if (contents.names().size() != 1) throw Error("an archive of several files: unpack the trace");
    const Contents::Snapshot trace = contents.take(0);
    Profile profile;
    profile.times =
        write_perfetto_profile(trace.input.bytes(), [&](std::string_view piece) { profile.packets += piece; });
    return profile;
  });
}

void warn_of_other_time(const PerfettoOutput& subject, const MemoryState& end, const ProfilerTimes& times) {
  const auto is_meanwhile = [&](const DeviceState& device) {
    const DeviceFigures& figures = device.figures;
    return figures.first_time_us && *figures.first_time_us <= times.last_us && times.first_us <= *figures.last_time_us;
  };
  if (!std::ranges::any_of(end.devices_of(subject.device), is_meanwhile))
    say_warnings(subject.file, *subject.profile, {"no slice is at the time of the snapshot's events"});
}

} // namespace

void write_perfetto_trace(const PerfettoOutput& subject) {
  check_binary_output(subject.output, "a Perfetto trace");
  const std::optional<Profile> profile = subject.profile ? std::optional(read_profile(*subject.profile)) : std::nullopt;
  naming_file(shown_name(subject.snapshot, subject.file), [&] {
    SnapshotFile file(subject.snapshot, subject.file);
    PerfettoSurvey survey;
    const Loaded loaded = loaded_from(file.session(), {.sink = &survey}, subject.device);
    say_warnings(subject.file, loaded.name, warnings_of(loaded.state));
    PieceOutput output(subject.file, subject.output);
    const TextSink write = [&](std::string_view piece) { output.write(piece); };
    PerfettoTrace trace(loaded.state, survey, subject.device, write);
    SecondPass events(trace, survey);
    static_cast<void>(file.session().read(events));
    trace.finish();
    write_moments(file.session(), loaded.state, subject, write);
    if (profile) {
      warn_of_other_time(subject, loaded.state, profile->times);
      write(profile->packets);
    }
    output.finish();
  });
}

} // namespace memviz::cli
