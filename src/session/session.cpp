#include "memviz/session.hpp"

#include "analysis/replay/device_accounts.hpp"
#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "session/sinks.hpp"
#include "snapshot/file_kind.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace memviz {

namespace {

InputOptions input_options(const SessionOptions& options) {
  InputOptions input;
  input.check_head = reject_foreign_head;
  if (!options.on_progress) return input;
  input.on_progress = [&options](std::uint64_t done_bytes, std::uint64_t total_bytes) {
    options.on_progress("reading", done_bytes, total_bytes);
  };
  return input;
}

} // namespace

Session::Session(const std::string& path, SessionOptions options)
    : options_(std::move(options)), input_(read_input(path, input_options(options_))) {
}

std::shared_ptr<const Recording> Session::decoded(EventSink* sink) {
  ReadOptions options;
  options.sink = sink;
  options.rewriter = options_.rewriter;
  options.threads = options_.threads;
  options.on_reader = options_.on_reader;
  options.on_progress = [&](std::uint64_t done_bytes) {
    input_.release_before(static_cast<std::size_t>(done_bytes));
    if (options_.on_progress) options_.on_progress("decoding", done_bytes, input_.bytes().size());
  };
  const auto refuse_changed = [&] {
    if (input_.has_changed()) throw Error("changed while it was read; run it again when the file is complete");
  };
  try {
    auto recording = std::make_shared<const Recording>(read_snapshot(input_.bytes(), options));
    refuse_changed();
    return recording;
  } catch (const Error&) {
    refuse_changed();
    throw;
  }
}

std::shared_ptr<const Recording> Session::read(EventSink& sink) {
  return decoded(&sink);
}

// Annotations stand behind the events in a file, so it is read once for them and once more for the state at that time.
MomentChoice Session::choice_of(const MomentRequest& moment) {
  if (!needs_annotation(moment)) return moment.choice;
  NoEvents nobody;
  return moment_in(moment, options_.name, *decoded(&nobody), options_.rewriter);
}

namespace {

/// What takes a state, or several, that were made of the events: births and kinds. `look_again` hands all events to a
/// sink once more.
void complete(Opened& opened, std::optional<MemoryState> peak, const Wants& wants, const KindWatch& watch,
              const std::function<void(EventSink&)>& look_again) {
  const bool needs_declared = wants.kinds && watch.has_declarations();
  std::optional<BirthFinder> births;
  std::optional<BirthFinder> births_at_peak;
  std::vector<EventSink*> sinks;
  if (wants.births || needs_declared) sinks.push_back(&births.emplace(opened.state));
  if (peak && needs_declared) sinks.push_back(&births_at_peak.emplace(*peak));
  if (!sinks.empty()) {
    EachSink each(sinks);
    look_again(each);
  }
  if (births) opened.births = births->births();
  if (!wants.kinds) return;
  opened.state.kinds = kinds_of(opened.state, watch, opened.births);
  for (DeviceRecord& record : opened.timeline)
    record.kinds = kinds_of(record, opened.state, watch);
  if (!peak) return;
  peak->kinds = kinds_of(*peak, watch, births_at_peak ? births_at_peak->births() : std::vector<BlockBirth>{});
  for (const DeviceStats& stats : peak->devices)
    opened.peak_kinds.emplace(stats.device, kind_account(*peak, stats.device));
}

} // namespace

Opened Session::open_keeping_events(const Wants& wants) {
  const auto recording = decoded(nullptr);
  KindWatch watch(wants.kind_rules);
  const MomentChoice choice = moment_in(wants.moment, options_.name, *recording, options_.rewriter);
  Opened opened{.state = rewind(recording, choice, wants.kinds ? &watch : nullptr)};
  check_moment(wants.moment, options_.name, opened.state.devices);
  if (wants.timeline) opened.timeline = record_timeline(*recording);
  if (wants.sink != nullptr) take_events(*recording, *wants.sink);
  std::optional<MemoryState> peak;
  if (wants.peak_kinds) peak = rewind(recording, {.kind = MomentKind::peak});
  complete(opened, std::move(peak), wants, watch, [&](EventSink& sink) { take_events(*recording, sink); });
  return opened;
}

Opened Session::open(const Wants& wants) {
  if (wants.events) return open_keeping_events(wants);
  KindWatch watch(wants.kind_rules);
  Accounts accounts(choice_of(wants.moment), wants.kinds ? &watch : nullptr);
  Accounts at_peak({.kind = MomentKind::peak});
  TimelineRecorder recorder;
  std::vector<EventSink*> sinks{&accounts};
  if (wants.peak_kinds) sinks.push_back(&at_peak);
  if (wants.timeline) sinks.push_back(&recorder);
  if (wants.sink != nullptr) sinks.push_back(wants.sink);
  EachSink each(sinks);
  const auto recording = decoded(&each);
  Opened opened{.state = accounts.state_of(recording)};
  check_moment(wants.moment, options_.name, opened.state.devices);
  if (wants.timeline) opened.timeline = recorder.finish(*recording);
  std::optional<MemoryState> peak;
  if (wants.peak_kinds) peak = at_peak.state_of(recording);
  complete(opened, std::move(peak), wants, watch, [&](EventSink& sink) { static_cast<void>(decoded(&sink)); });
  return opened;
}

Opened open(const std::string& path, const Wants& wants, const SessionOptions& options) {
  return Session(path, options).open(wants);
}

} // namespace memviz
