#include "memviz/session.hpp"

#include "analysis/replay/device_accounts.hpp"
#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "session/sinks.hpp"
#include "snapshot/file_kind.hpp"

#include <cstddef>
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

Opened Session::open_keeping_events(const Wants& wants) {
  const auto recording = decoded(nullptr);
  KindWatch watch;
  const MomentChoice choice = moment_in(wants.moment, options_.name, *recording, options_.rewriter);
  Opened opened{rewind(recording, choice, wants.kinds ? &watch : nullptr), {}, {}};
  if (wants.kinds) opened.state.kinds = kinds_of(opened.state, watch);
  check_moment(wants.moment, options_.name, opened.state.devices);
  if (wants.timeline) opened.timeline = record_timeline(*recording);
  if (wants.sink != nullptr) take_events(*recording, *wants.sink);
  if (!wants.births) return opened;
  BirthFinder births(opened.state);
  take_events(*recording, births);
  opened.births = births.births();
  return opened;
}

Opened Session::open(const Wants& wants) {
  if (wants.events) return open_keeping_events(wants);
  KindWatch watch;
  Accounts accounts(choice_of(wants.moment), wants.kinds ? &watch : nullptr);
  TimelineRecorder recorder;
  std::vector<EventSink*> sinks{&accounts};
  if (wants.timeline) sinks.push_back(&recorder);
  if (wants.sink != nullptr) sinks.push_back(wants.sink);
  EachSink each(sinks);
  Opened opened{accounts.state_of(decoded(&each)), {}, {}};
  if (wants.kinds) opened.state.kinds = kinds_of(opened.state, watch);
  check_moment(wants.moment, options_.name, opened.state.devices);
  if (wants.timeline) opened.timeline = recorder.finish(*opened.state.recording);
  if (!wants.births) return opened;
  BirthFinder births(opened.state);
  static_cast<void>(decoded(&births));
  opened.births = births.births();
  return opened;
}

Opened open(const std::string& path, const Wants& wants, const SessionOptions& options) {
  return Session(path, options).open(wants);
}

} // namespace memviz
