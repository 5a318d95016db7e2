#include "memviz/session.hpp"

#include "analysis/causes/caught_errors.hpp"
#include "analysis/replay/births.hpp"
#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "memviz/several_snapshots.hpp"
#include "session/chosen_snapshot.hpp"
#include "session/sinks.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <optional>
#include <tuple>
#include <utility>

namespace memviz {

Session::Session(Input input, SessionOptions options) : options_(std::move(options)), input_(std::move(input)) {
}

Session::Session(Contents::Snapshot snapshot, SessionOptions options)
    : options_(std::move(options)), input_(std::move(snapshot.input)), layers_(std::move(snapshot.layers)),
      place_(std::move(snapshot.place)) {
  if (options_.rewriter != nullptr && !place_.empty()) place_ = "an entry of the archive"; // its name is to be hidden
}

Session::Session(std::shared_ptr<const Recording> recording, SessionOptions options)
    : options_(std::move(options)), input_(input_of({})), kept_(std::move(recording)) {
}

std::shared_ptr<const Recording> Session::decoded(EventSink* sink) {
  FirstTime first;
  EachSink sink_and_first({&first, sink});
  ReadOptions options;
  options.sink = sink != nullptr && options_.add_sources ? &sink_and_first : sink;
  options.rewriter = options_.rewriter;
  options.threads = options_.threads;
  options.choose = [&](const std::vector<std::string>& names) { return chosen_snapshot(names, options_.rank); };
  options.on_reader = options_.on_reader;
  options.on_progress = [&](std::uint64_t done_bytes) {
    input_.release_before(static_cast<std::size_t>(done_bytes));
    if (options_.on_progress) options_.on_progress("decoding", done_bytes, input_.bytes().size());
  };
  const auto refuse_changed = [&] {
    if (input_.has_changed()) throw Error("changed while it was read; run it again when the file is complete");
  };
  try {
    Recording recording = read_snapshot(input_.bytes(), options);
    refuse_changed();
    if (options_.add_sources) {
      if (sink == nullptr) take_events(recording, first);
      options_.add_sources(recording.frames, first.first_us());
    }
    return std::make_shared<const Recording>(std::move(recording));
  } catch (const UsageError&) {
    throw;
  } catch (const SeveralSnapshots&) {
    throw;
  } catch (const Error& error) {
    refuse_changed();
    if (place_.empty()) throw;
    throw Error(place_ + ": " + error.what());
  }
}

namespace {

/// Moves an automatic moment past errors that the program never saw: to an earlier error, or to the peak.
void look_past(const CaughtErrors& errors, MemoryState& state, EventSource& source) {
  const auto has_failed = [](const DeviceState& device) { return device.moment.kind == MomentKind::oom; };
  if (std::ranges::none_of(state.devices, has_failed)) return;
  const MomentChoice choice{.kind = MomentKind::automatic, .caught = errors.found(state.frames())};
  const auto is_at_caught = [&](const DeviceState& device) {
    const std::vector<EventIndex>* const caught = choice.caught.find(device.device);
    return has_failed(device) && caught != nullptr && std::ranges::binary_search(*caught, device.moment.event);
  };
  if (std::ranges::none_of(state.devices, is_at_caught)) return;
  Accounts accounts(choice);
  source.read(accounts);
  state = accounts.state_of(state.recording);
}

/// Adds what needs the events and the states made from them: births and kinds.
void complete(Opened& opened, const Wants& wants, const KindWatch& watch, EventSource& source) {
  std::vector<MemoryState*> states{&opened.state};
  if (opened.also) states.push_back(&*opened.also);
  std::list<BirthFinder> births;
  std::vector<EventSink*> sinks;
  if (wants.births || (wants.kinds && watch.has_declarations()))
    for (MemoryState* const state : states)
      sinks.push_back(&births.emplace_back(*state));
  EachSink each(sinks);
  if (!sinks.empty()) source.read(each);
  for (const BirthFinder& finder : births)
    finder.finish();
  if (!wants.kinds) return;
  for (MemoryState* const state : states)
    add_kinds(*state, watch);
  for (DeviceRecord& record : opened.timeline)
    record.kinds = kinds_of(record, opened.state, watch);
}

} // namespace

Opened Session::open(EventSource& source, const Wants& wants) const {
  MomentChoice choice = wants.moment;
  if (choice.kind == MomentKind::annotation) { // the time is known once annotations are read, which follow the events
    NoEvents ignored;
    choice = moment_in(choice, options_.name, *source.read(ignored), options_.rewriter);
  }
  // The end and another moment take one replay, other pairs two.
  const bool is_with_end = wants.also && choice.kind == MomentKind::end;
  KindWatch watch(wants.kind_rules);
  Accounts accounts(is_with_end ? MomentChoice{.kind = *wants.also} : choice, wants.kinds ? &watch : nullptr);
  std::optional<Accounts> other;
  TimelineRecorder recorder;
  std::vector<EventSink*> sinks{&accounts};
  if (wants.also && !is_with_end) sinks.push_back(&other.emplace(MomentChoice{.kind = *wants.also}));
  if (wants.timeline) sinks.push_back(&recorder);
  if (wants.sink != nullptr) sinks.push_back(wants.sink);
  const bool is_automatic = choice.kind == MomentKind::automatic;
  const bool is_also_automatic = wants.also == MomentKind::automatic;
  CaughtErrors errors;
  if (is_automatic || is_also_automatic) sinks.push_back(&errors);
  EachSink each(sinks);
  const auto recording = source.read(each);
  Opened opened;
  if (is_with_end)
    std::tie(opened.state, opened.also) = accounts.end_and_state_of(recording);
  else
    opened.state = accounts.state_of(recording);
  if (other) opened.also = other->state_of(recording);
  if (is_automatic) look_past(errors, opened.state, source);
  if (is_also_automatic) look_past(errors, *opened.also, source);
  check_moment(wants.moment, options_.name, opened.state.devices);
  if (wants.timeline) opened.timeline = recorder.finish(*recording);
  complete(opened, wants, watch, source);
  return opened;
}

std::shared_ptr<const Recording> Session::keep_events() {
  if (!kept_) kept_.emplace(decoded(nullptr));
  input_ = input_of({});
  return kept_->recording();
}

std::shared_ptr<const Recording> Session::read(EventSink& sink) {
  return kept_ ? kept_->read(sink) : decoded(&sink);
}

void Session::read_each(const std::function<void(const std::string& name, Session& session)>& take) {
  ReadOptions options;
  options.rewriter = options_.rewriter;
  read_snapshots(input_.bytes(), options, [&](const std::string& name, Recording recording) {
    Session one(std::make_shared<const Recording>(std::move(recording)), options_);
    take(name, one);
  });
}

Opened Session::open(const Wants& wants) {
  if (kept_ || !wants.events) return open(*this, wants);
  RecordedEvents kept(decoded(nullptr));
  return open(kept, wants);
}

} // namespace memviz
