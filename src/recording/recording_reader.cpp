#include "memviz/recording.hpp"

#include "fast_reader/give_up.hpp"
#include "fast_reader/record_sink.hpp"
#include "fast_reader/trace_stream.hpp"
#include "memviz/error.hpp"
#include "memviz/read_by.hpp"
#include "memviz/several_snapshots.hpp"
#include "pickle/decoder.hpp"
#include "pickle/locate.hpp"
#include "pickle/progress.hpp"
#include "recording/document_reader.hpp"
#include "recording/file_kind.hpp"
#include "recording/folded_reader.hpp"
#include "recording/profiler_events.hpp"
#include "recording/profiler_reader.hpp"
#include "recording/snapshots_in.hpp"
#include "recording/summed_timeline.hpp"
#include "recording/timeline_reader.hpp"
#include "value/document.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace {

struct FastReading {
  std::optional<Recording> recording; ///< nullopt: the fast reader gave up
  ReadBy read_by;
};

/// Records of a pickle that is still being decoded -> a TraceReader. Errors in them have no place yet: the plain reader
/// names it.
class EventRecords final : public fast_reader::RecordSink {
public:
  explicit EventRecords(Readers& readers) : frames_(readers.frames), traces_(readers.traces), budget_(readers.budget) {}

  void take_rows(std::size_t list, const fast_reader::RecordRows& rows) override {
    while (columns_.size() <= rows.pattern)
      columns_.push_back(traces_.fields().columns_of(rows.keys));
    budget_.spend(rows.cells.size() / rows.keys.size(), kTraces);
    traces_.add_rows(device_of(list), {rows.cells, rows.keys.size(), columns_[rows.pattern]});
  }
  void take_dict(std::size_t list, Value dict) override {
    budget_.spend(1, kTraces); // a list may hold one dict in every byte
    traces_.add(device_of(list), traces_.fields().read(dict), {dict, nullptr, "device_traces"});
  }
  Value digest(std::span<const Value> items) override { return frames_.digest(items); }

private:
  /// The lists of `device_traces` are in the order of the devices. One after the last possible device is refused by the
  /// TraceReader; it must not be taken for that of host memory.
  static DeviceId device_of(std::size_t list) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    return {static_cast<std::uint32_t>(list < kMostDeviceIds ? list : kMost)};
  }

  static inline const Field kTraces{Value(), nullptr, "device_traces"};

  FrameReader& frames_;
  TraceReader& traces_;
  Budget& budget_;
  std::vector<EventFields::Columns> columns_; ///< by pattern
};

Recording recording_of(fast_reader::TraceStream& reader, std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  Readers readers(reader.document(), recording, bytes.size(), options, false);
  EventRecords records(readers);
  reader.read(records, options.threads);
  read_document(readers);
  finish_pickle(reader.protocol(), reader.offset(), bytes, recording);
  return recording;
}

/// Reads a pickle; converts events while the rest is decoded. Throws the exceptions of the caller's code in `options`,
/// and errors unrelated to the file's contents. If it gave up, the sink was restarted.
FastReading read_fast(std::string_view bytes, const ReadOptions& options) {
  fast_reader::TraceStream reader(bytes, pickle::Progress(options.on_progress));
  const auto gave_up = [&](PlainReason reason, std::uint64_t offset) {
    if (options.sink != nullptr) options.sink->restart();
    return FastReading{std::nullopt, {reason, offset}};
  };
  // The one place where giving up becomes a result. Everything else that is thrown is an error; a ParseError of the
  // caller's own code is thrown again by the plain reader.
  try {
    return {recording_of(reader, bytes, options), {}};
  } catch (const fast_reader::GiveUp& place) {
    return gave_up(place.reason, place.offset);
  } catch (const ParseError& error) {
    return gave_up(PlainReason::damaged, error.offset());
  } catch (const SchemaError& error) {
    const bool is_handed_over = is_stand_in(error.container().kind());
    return gave_up(is_handed_over ? PlainReason::used_again : PlainReason::unexpected_value, reader.offset());
  }
}

/// `profiler`: its trace, or its memory timeline.
enum class FileForm : std::uint8_t { pickle, json, folded, profiler };

/// A file that is decoded, and what reading it may still cost.
struct DecodedFile {
  pickle::Decoded decoded;
  std::string_view bytes;
  FileForm form = FileForm::pickle;
  std::string_view encoding = {};
  std::vector<std::string> warnings = {}; ///< about files that are not snapshots
  bool is_cpu = false;                    ///< whether such a file is of the CPU's memory
  Budget budget{bytes.size()};
};

void finish_text(const DecodedFile& file, Recording& recording) {
  recording.origin.encoding = file.encoding;
  recording.origin.are_segments_made_up = file.form != FileForm::json;
  if (file.form != FileForm::json) recording.origin.generation = "unknown PyTorch";
  if (file.form == FileForm::profiler) recording.trace_overflowed = false; // a trace is no ring
  recording.warnings.insert(recording.warnings.begin(), file.warnings.begin(), file.warnings.end());
}

/// Decodes JSON or folded stacks; of what is not a snapshot it makes the document of one.
DecodedFile decode_text(std::string_view bytes) {
  DecodedFile file{{}, bytes, FileForm::json, "JSON"};
  if (looks_like_folded(bytes)) {
    file.form = FileForm::folded;
    file.encoding = "folded stacks";
    file.decoded.document = folded_document(bytes);
    file.warnings = {"read from folded stacks, which have neither addresses nor events: each line is one block, and "
                     "segments are made up"};
    return file;
  }
  Document document = json::read(bytes);
  const bool is_raw = is_raw_timeline(document);
  const bool is_summed = !is_raw && is_summed_timeline(document);
  const bool is_timeline = is_raw || is_summed;
  if (!is_timeline && !is_profiler_trace(document)) {
    file.decoded.document = std::move(document);
    return file;
  }
  // A row of a timeline, of at least 13 bytes, becomes up to four records; sums in 47 bytes become up to 16.
  if (is_timeline) file.budget = Budget{bytes.size() * 3};
  ProfilerSnapshot snapshot = is_raw      ? timeline_snapshot(document)
                              : is_summed ? summed_timeline_snapshot(document, bytes.size())
                                          : profiler_snapshot(document, bytes.size());
  file.form = FileForm::profiler;
  file.encoding = is_timeline ? "a profiler's memory timeline" : "a profiler's trace";
  file.decoded.document = std::move(snapshot.document);
  file.warnings = std::move(snapshot.warnings);
  file.is_cpu = snapshot.is_cpu;
  return file;
}

/// Reads the snapshot that is the root of the document.
Recording read_root(DecodedFile& file, const ReadOptions& options) {
  Recording recording;
  Readers readers(file.decoded.document, recording, file.bytes.size(), options, true);
  readers.are_segments_made_up = file.form == FileForm::profiler;
  if (file.is_cpu) recording.origin.device_kind = DeviceKind::cpu;
  readers.budget = file.budget;
  try {
    read_document(readers);
  } catch (const SchemaError& error) {
    if (file.form != FileForm::pickle) throw Error(error.what());
    throw ParseError(pickle::offset_of(file.bytes, error.container()), error.what());
  }
  file.budget = readers.budget;
  if (file.form == FileForm::pickle)
    finish_pickle(file.decoded.protocol, file.decoded.end_offset, file.bytes, recording);
  else
    finish_text(file, recording);
  return recording;
}

std::vector<std::string> names_of(const std::vector<FoundSnapshot>& found) {
  std::vector<std::string> names;
  for (const FoundSnapshot& one : found)
    names.push_back(one.name);
  return names;
}

/// Makes the wanted one of the snapshots in a document its root.
void choose_root(Document& document, const ReadOptions& options) {
  const std::vector<FoundSnapshot> found = snapshots_in(document);
  std::size_t chosen = 0;
  if (found.size() > 1) {
    if (!options.choose) throw SeveralSnapshots(names_of(found));
    chosen = options.choose(names_of(found));
  }
  document.root = found.at(chosen).value;
}

/// Decodes everything before it looks at anything: the reference for the fast reader, and slower.
Recording read_whole(std::string_view bytes, const ReadOptions& options) {
  DecodedFile file{pickle::decode(bytes, pickle::Progress(options.on_progress)), bytes};
  choose_root(file.decoded.document, options);
  return read_root(file, options);
}

/// Charges for a recording of several: a file may refer to the same texts, frames and stacks in each of them.
void charge_for(const Recording& recording, const FoundSnapshot& found, Budget& budget) {
  constexpr std::uint64_t kForEach = 32; // fewer records than an honest snapshot has bytes for
  const FrameTable& frames = recording.frames;
  std::uint64_t stack_frames = 0;
  for (std::uint32_t i = 0; i < frames.stack_count(); ++i)
    stack_frames += frames.stack({i}).size();
  std::uint64_t text_bytes = 0;
  for (std::uint32_t i = 0; i < frames.string_count(); ++i)
    text_bytes += frames.text({i}).size();
  const Field whole{found.value, nullptr, found.name};
  try {
    budget.spend(kForEach + frames.frame_count(), whole);
    budget.spend_keys(stack_frames, whole);
    budget.spend_numbers(text_bytes, whole);
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
}

void tell_reader(const ReadOptions& options, const ReadBy& read_by) {
  if (options.on_reader) options.on_reader(read_by);
}

Recording read_pickle(std::string_view bytes, const ReadOptions& options) {
  FastReading fast;
  if (options.stream)
    fast = read_fast(bytes, options);
  else
    fast.read_by.plain_reason = PlainReason::not_wanted;
  tell_reader(options, fast.read_by);
  return fast.recording ? std::move(*fast.recording) : read_whole(bytes, options);
}

Recording read_text(std::string_view bytes, const ReadOptions& options) {
  tell_reader(options, {PlainReason::not_a_pickle});
  DecodedFile file = decode_text(bytes);
  choose_root(file.decoded.document, options);
  return read_root(file, options);
}

} // namespace

Recording read_snapshot(std::string_view bytes, const ReadOptions& options) {
  reject_foreign_file(bytes);
  const bool is_text = looks_like_json(bytes) || looks_like_folded(bytes);
  Recording recording = is_text ? read_text(bytes, options) : read_pickle(bytes, options);
  recording.origin.size_bytes = bytes.size();
  if (options.rewriter != nullptr) options.rewriter->check(recording);
  return recording;
}

void read_snapshots(std::string_view bytes, const ReadOptions& options,
                    const std::function<void(const std::string& name, Recording recording)>& take) {
  reject_foreign_file(bytes);
  DecodedFile file = looks_like_json(bytes)
                         ? decode_text(bytes)
                         : DecodedFile{pickle::decode(bytes, pickle::Progress(options.on_progress)), bytes};
  for (const FoundSnapshot& one : snapshots_in(file.decoded.document)) {
    file.decoded.document.root = one.value;
    Recording recording = read_root(file, options);
    recording.origin.size_bytes = bytes.size();
    charge_for(recording, one, file.budget);
    if (options.rewriter != nullptr) options.rewriter->check(recording);
    take(one.name, std::move(recording));
  }
}

} // namespace memviz
