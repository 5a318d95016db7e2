#include "snapshot_checks.hpp"

#include "analysis/replay/births.hpp"
#include "memviz/check_report.hpp"
#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/kinds.hpp"
#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "memviz/memory_report.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "memviz/sqlite_file.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_svg.hpp"
#include "memviz/trace.hpp"
#include "promises.hpp"
#include "require.hpp"
#include "same_snapshot.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz::fuzz {
namespace {

/// The maximum bytes of a log that are checked.
constexpr std::size_t kMostLogBytes = std::size_t{1} << 20U;

class Recorder final : public EventSink {
public:
  void take(DeviceId device, std::span<const Event> events) override {
    std::vector<Event>& taken = devices_.make(device);
    taken.insert(taken.end(), events.begin(), events.end());
  }
  void restart() override { devices_.clear(); }
  [[nodiscard]] const ByDevice<std::vector<Event>>& devices() const { return devices_; }

private:
  ByDevice<std::vector<Event>> devices_;
};

struct Outcome {
  std::shared_ptr<const Recording> snapshot;
  std::string message;
  std::optional<std::uint64_t> offset;
};

Outcome outcome_of(std::string_view bytes, const ReadOptions& options) {
  try {
    return {std::make_shared<const Recording>(read_snapshot(bytes, options)), {}, {}};
  } catch (const ParseError& error) {
    check_error(error, bytes.size());
    return {{}, error.what(), error.offset()};
  } catch (const Error& error) {
    check_error(error, bytes.size());
    return {{}, error.what(), {}};
  }
}

void check_same(const Outcome& reference, const Outcome& other, std::string_view how) {
  require(reference.message == other.message, how, reference.message + " / " + other.message);
  require(reference.offset == other.offset, how, "offset");
  require((reference.snapshot == nullptr) == (other.snapshot == nullptr), how, "snapshot");
}

/// `events` went to a sink while `streamed` was read.
void check_accounts(const std::shared_ptr<const Recording>& reference, const std::shared_ptr<const Recording>& streamed,
                    const ByDevice<std::vector<Event>>& events) {
  const auto stats_or_error = [](auto make) {
    try {
      return make();
    } catch (const Error& error) {
      return std::string("an error: ") + error.what();
    }
  };
  const std::string stored = stats_or_error([&] { return stats_json("file", replay(reference)); });
  const std::string summed = stats_or_error([&] {
    Accounts accounts;
    for (const auto& [device, of_device] : events)
      accounts.take(device, of_device);
    return stats_json("file", accounts.state_of(streamed));
  });
  require(stored == summed, "accounts of streamed events as of stored ones:", stored + "\n" + summed);
}

void check_streaming(std::string_view bytes, const Outcome& reference, unsigned threads) {
  Recorder recorder;
  const Outcome streamed = outcome_of(bytes, {.sink = &recorder, .threads = threads, .on_progress = {}});
  check_same(reference, streamed, "streamed as stored:");
  if (!streamed.snapshot) return;
  const std::string found = difference(*reference.snapshot, *streamed.snapshot, recorder.devices());
  require(found.empty(), "streamed as stored:", found);
  check_accounts(reference.snapshot, streamed.snapshot, recorder.devices());
}

/// Checks the log of a second reading, in both forms: a line for each event, and each of them an object.
void check_log(std::string_view bytes, unsigned threads) {
  TraceSurvey survey;
  const Outcome first = outcome_of(bytes, {.sink = &survey, .threads = threads, .on_progress = {}});
  if (!first.snapshot) return;
  std::uint64_t events = 0;
  for (const auto& [device, count] : first.snapshot->event_counts)
    events += survey.device(device).events;
  for (const TraceFormat format : {TraceFormat::text, TraceFormat::ndjson}) {
    std::string text;
    TraceOptions options;
    options.format = format;
    options.stacks = threads > 1;
    TraceLog log(*first.snapshot, survey, options, [&](std::string_view piece) {
      if (text.size() < kMostLogBytes) text += piece;
    });
    const Outcome second = outcome_of(bytes, {.sink = &log, .threads = threads, .on_progress = {}});
    require(second.snapshot != nullptr, "read once, read twice:", second.message);
    require(log.finish() == events, "every event has its line", "");
    for (std::size_t begin = 0; format == TraceFormat::ndjson && begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      require(end != std::string::npos, "a line that ends", "");
      check_json(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (format == TraceFormat::text) require(text.find('\x1b') == std::string::npos, "text for a terminal", "");
  }
}

TreeOptions tree_options(const MemoryState& state, std::uint32_t choice) {
  static const std::array<std::vector<Level>, 4> levels{
      std::vector<Level>{},
      {Level::device, Level::pool, Level::stream, Level::segment, Level::state},
      {Level::state, Level::segment, Level::stream, Level::pool, Level::device},
      {Level::annotation, Level::state, Level::compile, Level::metadata}};
  TreeOptions options;
  const std::uint32_t view = choice % 6;
  options.levels = view == 0 ? memory_levels(state) : view == 1 ? segment_levels(state) : levels[view - 2];
  options.frames = static_cast<FrameFilter>(choice / 6 % 5);
  if (choice / 30 % 4 == 1) options.focus = "forward|train";
  if (choice / 30 % 4 == 2) options.hide = "at::|c10";
  return options;
}

/// Checks that the snapshot written of a state has as much memory and as many events.
void check_pickle(const MemoryState& state) {
  const Outcome anew = outcome_of(whole_text(snapshot_pickle_source(state)), {});
  require(anew.snapshot != nullptr, "a snapshot written anew is read:", anew.message);
  const MemoryMap& end = anew.snapshot->end;
  require(end.segments.size() == state.segments.size() && end.blocks.size() == state.blocks.size(), "blocks of",
          "a snapshot written anew");
  require(anew.snapshot->event_counts == state.recording->event_counts, "events of", "a snapshot written anew");
}

/// Checks that bytes are conserved at every slice, that the peak agrees with the accounts, and the picture.
void check_timeline(const MemoryState& state, std::uint32_t choice) {
  std::vector<TimelineDevice> devices;
  TimelineSvgOptions options;
  options.max_bytes = std::size_t{20'000} << choice % 4;
  options.scripts = choice % 7 == 0;
  if (choice % 3 == 0) options.detail = choice % 50;
  bool has_times = true;
  for (DeviceRecord& record : record_timeline(*state.recording)) {
    const Window window{choice % 5 == 0 ? record.events / 3 : 0, record.events};
    TimelineOptions chart_options;
    chart_options.most_bands = choice % 30;
    chart_options.most_slices = 1 + choice % 40;
    const BandChart chart = chart_bands(record, {0, record.events}, chart_options);
    const auto device_state =
        std::find_if(state.devices.begin(), state.devices.end(),
                     [&](const DeviceState& candidate) { return candidate.device == record.device; });
    require(chart.slices[chart.peak].live_bytes == device_state->figures.peak_requested_bytes, "the peak of",
            "a timeline");
    std::vector<std::uint64_t> sums;
    for (const Slice& slice : chart.slices)
      sums.push_back(slice.baseline_bytes + slice.rest_bytes);
    for (const Band& band : chart.bands)
      for (std::uint32_t i = band.first; i < band.last; ++i)
        sums[i] += band.life.size_bytes;
    for (std::size_t i = 0; i < sums.size(); ++i)
      require(chart.has_negative_rest || sums[i] == chart.slices[i].live_bytes, "bytes of", "a timeline's slice");
    has_times = has_times && !(record.events > 0 && record.times_us().empty());
    devices.push_back({std::move(record), window});
  }
  if (has_times && choice % 2 == 0) options.axis = TimelineAxis::time;
  check_svg(timeline_svg({.file = "fuzz <&> .pickle", .state = state, .devices = devices}, options));
}

MomentChoice moment_choice(const Recording& snapshot, std::uint32_t choice) {
  constexpr std::array kKinds{MomentKind::peak,  MomentKind::oom,  MomentKind::automatic,
                              MomentKind::event, MomentKind::time, MomentKind::end};
  MomentChoice moment;
  moment.kind = kKinds[choice % kKinds.size()];
  const std::uint64_t events = snapshot.event_counts.empty() ? 0 : snapshot.event_counts.begin()->second;
  moment.event = EventIndex::last_of(choice / 6 % (events + 1));
  if (!snapshot.annotations.empty()) moment.time_us = snapshot.annotations.front().time_us;
  return moment;
}

/// Checks that the state at a moment conserves bytes as the file does, and is explained part by part up to its last
/// byte.
void check_moment(const std::shared_ptr<const Recording>& recording, std::uint32_t choice) {
  MemoryState then = rewind(recording, moment_choice(*recording, choice));
  for (const Segment& segment : then.segments) {
    std::uint64_t bytes = segment.uncovered_bytes;
    for (const Block& block : then.blocks_of(segment))
      bytes += block.size_bytes;
    require(bytes == segment.total_bytes, "a segment of a moment that its blocks fill");
  }
  const std::uint64_t outside_bytes = sum_of(then.devices).outside_bytes;
  BirthFinder finder(then);
  take_events(*recording, finder);
  finder.finish();
  check_conserves_bytes(build_frame_tree(then, tree_options(then, choice)), reserved_bytes(then) + outside_bytes);
  check_svg(state_svg({.file = "fuzz <&> .pickle", .state = then, .device = std::nullopt},
                      {.max_bytes = std::size_t{20'000} << choice % 4}));

  ExplainOptions options;
  if (choice % 3 == 1) options.capacity_bytes = std::uint64_t{1} << (20U + choice % 30);
  const auto explained = explain(then, options);
  for (const DeviceExplanation& device : explained) {
    const MemoryLedger& ledger = device.ledger;
    require(ledger.live_bytes + ledger.rounding_bytes + ledger.pending_bytes + ledger.room.total_bytes() +
                    ledger.unaccounted_bytes ==
                ledger.reserved_bytes,
            "parts of the memory that add up");
  }
  check_json(explain_json("fuzz.pickle", then, explained));
  require(explain_text({"fuzz.pickle", then, explained}).ends_with('\n'), "a text that ends");
  check_svg(explain_svg({.file = "fuzz <&> .pickle", .state = then, .devices = explained}, {}));
}

/// Checks that a report has everything known to be a weight or an activation, and is written with the tables of the
/// recording.
void check_report(const std::shared_ptr<const Recording>& recording, std::uint32_t choice) {
  KindWatch watch;
  MemoryState state = rewind(recording, moment_choice(*recording, choice), &watch);
  BirthFinder births(state);
  take_events(*recording, births);
  births.finish();
  add_kinds(state, watch);
  std::vector<DeviceRecord> timeline = record_timeline(*recording);
  for (DeviceRecord& record : timeline)
    record.kinds = kinds_of(record, state, watch);
  const MemoryReport report = memory_report(state, timeline, {});
  KindAccount account;
  for (const DeviceId device : report.devices)
    add(account, kind_account(state, device));
  std::uint64_t bytes = 0;
  for (const ReportEntry& weight : report.weights)
    bytes += weight.size_bytes;
  require(bytes == account[static_cast<std::size_t>(MemoryKind::parameter)].bytes, "weights that are",
          "the parameters");

  const ProjectFiles project(state, choice % 3 == 0 ? std::optional<std::string>("/app") : std::nullopt);
  const SqliteSubject subject{
      .file = "fuzz <&> .pickle", .version = "0", .state = state, .report = report, .project = project};
  check_proportion(subject);
  SqliteFile file(":memory:", {.report = choice % 4 != 0, .recording = choice % 2 == 0, .device = {}});
  if (file.events() != nullptr) take_events(*recording, *file.events());
  file.finish(subject);
}

} // namespace

std::uint64_t reserved_bytes(const MemoryMap& memory) {
  std::uint64_t sum = 0;
  for (const Segment& segment : memory.segments)
    sum += segment.total_bytes;
  return sum;
}

std::shared_ptr<const Recording> read_in_every_way(std::string_view bytes, std::uint32_t choice) {
  Outcome reference = outcome_of(bytes, {.stream = false, .on_progress = {}});
  check_streaming(bytes, reference, 1 + choice % 2);
  if (choice % 8 == 0) check_same(reference, outcome_of(bytes, {.on_progress = {}}), "stored while decoded:");
  if (!reference.snapshot) throw Error(reference.message);
  if (choice % 4 == 1) check_log(bytes, 1 + choice / 4 % 2);
  return reference.snapshot;
}

void check_outputs(const std::shared_ptr<const Recording>& recording, std::uint32_t choice) {
  const MemoryState state = replay(recording);
  const TreeOptions options = tree_options(state, choice);
  const FrameTree tree = build_frame_tree(state, options);
  const std::uint64_t total_bytes = reserved_bytes(state);
  check_conserves_bytes(tree, total_bytes);
  const FlamePicture picture{.file = "fuzz <&> .pickle", .subject = memory_subject(state, {}), .tree = tree};
  check_svg(flame_svg(picture, {.upward = choice % 2 == 0,
                                .scripts = choice % 7 == 0,
                                .fold = choice % 3 != 0,
                                .max_bytes = std::size_t{20'000} << choice % 4}));
  check_timeline(state, choice);
  std::uint64_t host_bytes = 0;
  for (const Segment& segment : state.segments_of(kHostDevice))
    host_bytes += segment.total_bytes;
  for (const FoldedView view : {FoldedView::memory, FoldedView::segments}) {
    check_folded(folded_stacks(state, view, {}), total_bytes - host_bytes);
    check_folded(folded_stacks(state, view, kHostDevice), host_bytes);
  }
  check_json(stats_json("fuzz \"\\.pickle", state));
  check_json(tree_json("fuzz.pickle", state.frames(), tree, state.devices));
  LeakOptions leak_options;
  if (choice % 3 == 1) leak_options.steps = {StepSource::events, {}, 1 + choice % 5};
  const auto leaks = find_leaks(state, leak_options);
  check_json(leaks_json("fuzz.pickle", state, leaks));
  require(leaks_text("fuzz.pickle", state, leaks).ends_with('\n'), "a text that ends");
  require(stats_text("fuzz.pickle", state, {}).ends_with('\n'), "a text that ends");
  check_pickle(state);
  check_moment(recording, choice);
  check_report(recording, choice);
}

} // namespace memviz::fuzz
