#pragma once

// A PyTorch memory snapshot of any generation and encoding, as flat tables. Nothing in here knows pickle. Sizes are
// bytes, times are microseconds since 1970, addresses are unsigned 64 bit. Source of the fields:
// torch/csrc/cuda/Module.cpp and torch/csrc/cuda/memory_snapshot.cpp, PyTorch 1.13 to 2.15.

#include "memviz/device_kind.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"
#include "memviz/memory_map.hpp"
#include "memviz/read_by.hpp"
#include "memviz/recorder.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/text_rewriter.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// A `record_function` mark, or any other entry of `external_annotations`.
struct Annotation {
  StringId name;
  StringId stage; ///< "START", "END" or ""
  DeviceId device;
  std::int64_t time_us = 0;
  std::vector<std::pair<StringId, StringId>> metadata; ///< the keys besides those above
};

/// The keys by which the generation of a file is inferred.
struct GenerationSigns {
  bool is_list = false; ///< a bare list of segments: torch.cuda.memory_snapshot()
  bool has_history = false;
  bool has_time = false;
  bool has_settings = false;
  bool has_annotations = false;
  bool has_compile_context = false;
  bool has_user_metadata = false;
  bool has_pool = false;
};

/// The way the file was written, as far as the file shows it.
struct Origin {
  std::string encoding;                      ///< "pickle protocol 4", "JSON"
  std::string generation;                    ///< "PyTorch 2.5 to 2.8": inferred from the keys present
  GenerationSigns signs;                     ///< those keys
  DeviceKind device_kind = DeviceKind::cuda; ///< of all devices except `cpu_device` and pinned host memory
  /// Main memory in a recording of GPUs, by the same module: the device that is none.
  std::optional<DeviceId> cpu_device;
  std::optional<Rehearsal> rehearsal; ///< what was made up, where the GPU was
  std::optional<std::uint64_t> rank;  ///< the process's rank in its job, where the file records that
  std::uint64_t size_bytes = 0;       ///< of the decompressed file; what is made of it is bounded by it

  [[nodiscard]] DeviceKind kind_of(DeviceId device) const {
    return is_host(device) || device == cpu_device ? DeviceKind::cpu : device_kind;
  }
};

/// A key of the whole snapshot that memviz does not know.
struct UnreadKey {
  StringId name;
  bool may_hold_memory = false; ///< by its shape
};

/// Never changed once it is read.
struct Recording {
  FrameTable frames;
  MemoryMap end;                        ///< the file's own segments and blocks: the end of the recording
  ByDevice<EventTable> traces;          ///< oldest event first; empty where a sink took the events
  ByDevice<std::uint64_t> event_counts; ///< whether or not the events are in `traces`
  std::vector<Annotation> annotations;
  /// `allocator_settings`, nested keys joined by '.', values as text; in file order.
  std::vector<std::pair<StringId, StringId>> settings;
  std::optional<bool> trace_overflowed;           ///< `trace_alloc_overflowed` (2026)
  std::optional<std::uint64_t> trace_max_entries; ///< `trace_alloc_max_entries` (2026)
  Origin origin;
  DeclaredTable declared;               ///< what the program's tensors are, at the end
  std::vector<MeasuredDevice> measured; ///< when the file was written
  std::vector<UnreadKey> unread_keys;   ///< the first ones, in file order
  std::uint64_t more_unread_keys = 0;
  std::vector<std::string> warnings;

  /// Returns the device's events in `traces`; an empty table if it has none.
  [[nodiscard]] const EventTable& events_of(DeviceId device) const;
  /// Devices that have a segment or an event, ascending.
  [[nodiscard]] std::vector<DeviceId> devices() const;
};

struct ReadOptions {
  /// The receiver of events, instead of Recording::traces.
  EventSink* sink = nullptr;
  /// The rewriter through which the file's texts pass on their way into the recording; nothing else sees the
  /// originals. It checks the whole recording first, and may refuse it.
  TextRewriter* rewriter = nullptr;
  /// Threads that decode the events of a pickle of protocol 4 or 5, this one included.
  unsigned threads = 1;
  /// Convert the events of a pickle while it is decoded, by the fast reader. Without it everything is decoded first,
  /// which takes more time and memory for the same result; files that the fast reader gives up on are read like that in
  /// any case.
  bool stream = true;
  /// Called once for each file that is a pickle or JSON, with which reader reads it and why; before the plain reader
  /// begins, which may find that it is no snapshot.
  std::function<void(const ReadBy& read_by)> on_reader = {};
  /// Called every few megabytes with the number of bytes that are done with. A file that is read a second time starts
  /// again.
  std::function<void(std::uint64_t done_bytes)> on_progress;
};

/// Decodes a snapshot from the bytes of a pickle (protocols 0 to 5) or of the JSON form of the same object.
/// Nothing in it is executed. Throws ParseError or Error, and what sink and rewriter throw; `bytes` need not outlive
/// the call.
[[nodiscard]] Recording read_snapshot(std::string_view bytes, const ReadOptions& options = {});

/// The origin of the events of a recording, which can be looked at again and again: a file, which is decoded again each
/// time (Session), or the tables of a recording that holds its events.
class EventSource {
public:
  virtual ~EventSource() = default;
  /// Hands all events to `sink`, and returns the recording that has them.
  virtual std::shared_ptr<const Recording> read(EventSink& sink) = 0;
};

/// Hands the events of the recording's own tables to `sink`, a batch at a time.
void take_events(const Recording& recording, EventSink& sink);

class RecordedEvents final : public EventSource {
public:
  explicit RecordedEvents(std::shared_ptr<const Recording> recording) : recording_(std::move(recording)) {}

  std::shared_ptr<const Recording> read(EventSink& sink) override {
    take_events(*recording_, sink);
    return recording_;
  }
  [[nodiscard]] const std::shared_ptr<const Recording>& recording() const noexcept { return recording_; }

private:
  std::shared_ptr<const Recording> recording_;
};

} // namespace memviz
