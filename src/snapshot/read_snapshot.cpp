#include "memviz/error.hpp"
#include "memviz/recording.hpp"
#include "pickle/decoder.hpp"
#include "pickle/locate.hpp"
#include "pickle/machine.hpp"
#include "snapshot/annotation_reader.hpp"
#include "snapshot/file_kind.hpp"
#include "snapshot/generation.hpp"
#include "snapshot/rehearsal_reader.hpp"
#include "snapshot/segment_reader.hpp"
#include "snapshot/settings_reader.hpp"
#include "snapshot/trace_reader.hpp"
#include "snapshot/trace_stream.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"
#include "json/json_reader.hpp"

#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>

namespace memviz {
namespace {

/// What a root that is no snapshot looks like, for the message.
std::string describe_root(const Document& document) {
  const Value root = document.root;
  if (root.kind() != Kind::dict) return std::string(kind_name(root.kind()));
  std::string keys;
  std::size_t count = 0;
  document.for_each_item(root, [&](Value key, Value) {
    if (++count > 5 || key.kind() != Kind::text) return;
    keys +=
        fmt::format("{}'{}'", keys.empty() ? "" : ", ", elided(to_valid_utf8(document.text(key).substr(0, 256)), 40));
  });
  return count == 0 ? "an empty dict"
                    : fmt::format("a dict with {} keys ({}{})", count, keys, count > 5 ? ", ..." : "");
}

/// Keeps the events in the snapshot, for callers that give no sink.
class EventStore final : public EventSink {
public:
  explicit EventStore(Recording& recording) : recording_(recording) {}
  void take(std::uint32_t device, std::span<const Event> events) override {
    if (recording_.traces.size() <= device) recording_.traces.resize(device + std::size_t{1});
    for (const Event& event : events)
      recording_.traces[device].push(event);
  }
  void restart() override { recording_.traces.clear(); }

private:
  Recording& recording_;
};

/// Tells what a sink throws from what the reader finds: only the latter is a reason to read once more.
class WatchedSink final : public EventSink {
public:
  explicit WatchedSink(EventSink& sink) : sink_(sink) {}
  void take(std::uint32_t device, std::span<const Event> events) override {
    has_failed_ = true;
    sink_.take(device, events);
    has_failed_ = false;
  }
  void restart() override { sink_.restart(); }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

private:
  EventSink& sink_;
  bool has_failed_ = false;
};

/// The tools of one reading, which share what they learn of the document.
struct Readers {
  Readers(const Document& read_document, Recording& read_snapshot, std::uint64_t file_bytes, const ReadOptions& options)
      : document(read_document), recording(read_snapshot), store(read_snapshot), budget(file_bytes),
        frames(read_document, read_snapshot.frames, options.rewriter),
        traces(read_document, frames, budget, read_snapshot, options.sink == nullptr ? store : *options.sink) {}
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  ~Readers() = default;

  const Document& document;
  Recording& recording;
  EventStore store;
  Budget budget;
  FrameReader frames;
  TraceReader traces;
};

void read_document(Readers& readers) {
  const Document& document = readers.document;
  Recording& recording = readers.recording;
  Budget& budget = readers.budget;
  FrameReader& frames = readers.frames;
  TraceReader& traces = readers.traces;
  SegmentReader segments(document, frames, budget, recording);
  const Value root = document.root;
  const Value segment_list = root.kind() == Kind::dict ? document.get(root, "segments") : root;
  if (segment_list.kind() != Kind::list) {
    throw SchemaError("expected a memory snapshot (a dict with a list 'segments', or a list of segments), found " +
                          describe_root(document),
                      root);
  }
  segments.read(segment_list);
  const auto optional = [&](std::string_view key, Kind kind) {
    const Value value = root.kind() == Kind::dict ? document.get(root, key) : Value();
    if (value.kind() == Kind::none) return Value();
    if (value.kind() != Kind::unset) FieldChecker(document).require(value, kind, Where{nullptr, key}, root);
    return value;
  };
  const Value device_traces = optional("device_traces", Kind::list);
  const Value settings = optional("allocator_settings", Kind::dict);
  const Value annotations = optional("external_annotations", Kind::list);
  if (device_traces.kind() != Kind::unset)
    traces.read_traces(device_traces);
  else if (traces.has_events())
    throw ContentWasUsed(); // of a list that is not part of the snapshot after all
  if (settings.kind() != Kind::unset) read_settings(document, settings, frames, budget, recording);
  if (annotations.kind() != Kind::unset) read_annotations(document, annotations, frames, budget, recording);

  read_rehearsal(document, settings, frames, recording);

  recording.origin.is_list = root.kind() == Kind::list;
  recording.origin.generation = infer_generation({.is_list = recording.origin.is_list,
                                                  .has_history = segments.saw_history(),
                                                  .has_time = traces.saw_time(),
                                                  .has_settings = settings.kind() != Kind::unset,
                                                  .has_annotations = annotations.kind() != Kind::unset,
                                                  .has_compile_context = traces.saw_compile_context(),
                                                  .has_user_metadata = traces.saw_user_metadata(),
                                                  .has_pool = traces.saw_pool()});
}

/// Genuine files end with STOP, or with the NULs that PyTorch's HTML export pads them with.
void warn_of_trailing_bytes(std::string_view bytes, std::uint64_t end, Recording& recording) {
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(end));
  if (rest.find_first_not_of('\0') == std::string_view::npos) return;
  recording.warnings.push_back(
      fmt::format("byte {}: {} bytes follow the end of the pickle and were ignored", end, rest.size()));
}

void finish_pickle(int protocol, std::uint64_t end, std::string_view bytes, Recording& recording) {
  recording.origin.encoding = fmt::format("pickle protocol {}", protocol);
  warn_of_trailing_bytes(bytes, end, recording);
}

/// Events are converted while the rest is decoded. Throws, whatever it finds, at files that need the other way.
Recording read_streaming(std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  pickle::Machine machine(bytes, pickle::Progress(options.on_progress));
  Readers readers(machine.document(), recording, bytes.size(), options);
  TraceStream events(machine.document(), readers.frames, readers.traces);
  machine.stream_to(events, options.threads);
  while (machine.step()) {}
  read_document(readers);
  finish_pickle(machine.protocol(), machine.offset(), bytes, recording);
  return recording;
}

/// Everything is decoded before anything is looked at: the reference for the other way, and slower.
Recording read_whole(std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  const pickle::Decoded decoded = pickle::decode(bytes, pickle::Progress(options.on_progress));
  Readers readers(decoded.document, recording, bytes.size(), options);
  try {
    read_document(readers);
  } catch (const SchemaError& error) {
    throw ParseError(pickle::offset_of(bytes, error.container()), error.what());
  }
  finish_pickle(decoded.protocol, decoded.end_offset, bytes, recording);
  return recording;
}

Recording read_pickle(std::string_view bytes, const ReadOptions& options) {
  if (!options.stream) return read_whole(bytes, options);
  std::optional<WatchedSink> sink;
  ReadOptions watched = options;
  if (options.sink != nullptr) watched.sink = &sink.emplace(*options.sink);
  try {
    return read_streaming(bytes, watched);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    if (sink && sink->has_failed()) throw;
    if (sink) sink->restart();
  }
  return read_whole(bytes, options);
}

Recording read_json(std::string_view bytes, const ReadOptions& options) {
  Recording recording;
  recording.origin.encoding = "JSON";
  const Document document = json::read(bytes);
  try {
    Readers readers(document, recording, bytes.size(), options);
    read_document(readers);
  } catch (const SchemaError& error) {
    throw Error(error.what());
  }
  return recording;
}

} // namespace

Recording read_snapshot(std::string_view bytes, const ReadOptions& options) {
  reject_foreign_file(bytes);
  Recording recording = looks_like_json(bytes) ? read_json(bytes, options) : read_pickle(bytes, options);
  recording.origin.size_bytes = bytes.size();
  if (options.rewriter != nullptr) options.rewriter->check(recording);
  return recording;
}

} // namespace memviz
