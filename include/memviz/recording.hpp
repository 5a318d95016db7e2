#pragma once

// A PyTorch memory snapshot of any generation and encoding, as flat tables, independent of pickle. Sizes are bytes,
// times are microseconds since 1970, addresses are unsigned 64 bit. Source of the fields: torch/csrc/cuda/Module.cpp
// and torch/csrc/cuda/memory_snapshot.cpp, PyTorch 1.13 to 2.15.

#include "memviz/device_kind.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"
#include "memviz/keepers.hpp"
#include "memviz/memory_map.hpp"
#include "memviz/read_by.hpp"
#include "memviz/recorder.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/text_rewriter.hpp"

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
  std::vector<std::pair<StringId, StringId>> metadata; ///< all other keys
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

/// The way in which the file was written, as far as the file shows it.
struct Origin {
  std::string encoding;                      ///< "pickle protocol 4", "JSON"
  std::string generation;                    ///< "PyTorch 2.5 to 2.8": inferred from the keys present
  GenerationSigns signs;                     ///< those keys
  DeviceKind device_kind = DeviceKind::cuda; ///< of all devices except `cpu_device` and pinned host memory
  /// Main memory in a recording of GPUs by the same module: the device that is not a GPU.
  std::optional<DeviceId> cpu_device;
  std::optional<Rehearsal> rehearsal; ///< the made-up parts, if the GPU was made up
  std::optional<std::uint64_t> rank;  ///< the process's rank in its job, if the file records it
  std::uint64_t size_bytes = 0;       ///< of the decompressed file; bounds everything built from it
  bool are_segments_made_up = false;  ///< because the file has none: they show nothing about the allocator

  [[nodiscard]] DeviceKind kind_of(DeviceId device) const {
    return is_host(device) || device == cpu_device ? DeviceKind::cpu : device_kind;
  }
};

/// A key of the whole snapshot that memviz does not know.
struct UnreadKey {
  StringId name;
  bool may_hold_memory = false; ///< by its shape
};

/// A whole recording, immutable once it is read.
struct Recording {
  FrameTable frames;
  MemoryMap end;                        ///< the file's own segments and blocks: the end of the recording
  ByDevice<EventTable> traces;          ///< oldest event first; empty if a sink received the events
  ByDevice<std::uint64_t> event_counts; ///< whether or not the events are in `traces`
  std::vector<Annotation> annotations;
  /// `allocator_settings`, nested keys joined by '.', values as text; in file order.
  std::vector<std::pair<StringId, StringId>> settings;
  std::optional<bool> trace_overflowed;           ///< `trace_alloc_overflowed` (2026)
  std::optional<std::uint64_t> trace_max_entries; ///< `trace_alloc_max_entries` (2026)
  Origin origin;
  DeclaredTable declared;               ///< declarations of the program's tensors, at the end
  std::vector<MeasuredDevice> measured; ///< when the file was written
  KeeperGraph keepers;                  ///< the objects that refer to GPU memory, at the end
  std::vector<UnreadKey> unread_keys;   ///< the first ones, in file order
  std::uint64_t more_unread_keys = 0;
  std::vector<std::string> warnings;

  /// Returns the device's events in `traces`; an empty table if it has none.
  [[nodiscard]] const EventTable& events_of(DeviceId device) const;
  /// Returns the devices that have a segment or an event, ascending.
  [[nodiscard]] std::vector<DeviceId> devices() const;
};

struct ReadOptions {
  /// The receiver of events; null: Recording::traces.
  EventSink* sink = nullptr;
  /// The rewriter that the file's texts pass through on their way into the recording; no other code sees the originals.
  /// It checks the whole recording at the end, and may refuse it.
  TextRewriter* rewriter = nullptr;
  /// The number of threads that decode the events of a pickle of protocol 4 or 5, including this one.
  unsigned threads = 1;
  /// Called for a pickle or JSON with several snapshots, with their names; returns the index of the one that is wanted.
  /// Without it such a file is a SeveralSnapshots.
  std::function<std::size_t(const std::vector<std::string>& names)> choose = {};
  /// Whether the fast reader converts the events of a pickle while it decodes. Without it everything is decoded first,
  /// which costs more time and memory for the same result; files that the fast reader gives up on are read like that in
  /// any case.
  bool stream = true;
  /// Called once for each file that is a pickle or JSON, with the reader and the reason; called before the plain reader
  /// starts, which may find that the file is not a snapshot.
  std::function<void(const ReadBy& read_by)> on_reader = {};
  /// Called every few megabytes with the number of bytes processed. Starts again if a file is read a second time.
  std::function<void(std::uint64_t done_bytes)> on_progress;
};

/// Decodes a snapshot from the bytes of a pickle (protocols 0 to 5) or of the JSON form of the same object. Executes
/// nothing in it. Throws ParseError or Error, and the exceptions of sink and rewriter; `bytes` need not outlive the
/// call.
[[nodiscard]] Recording read_snapshot(std::string_view bytes, const ReadOptions& options = {});

/// Decodes a pickle or JSON that holds several snapshots, as the ranks of a job gather them, and calls `take` with the
/// name of each ("[0]", "['rank3']") and its recording, with its events. Together they must not need more than a
/// single snapshot of that many bytes could. Throws the same exceptions, and those of `take`.
void read_snapshots(std::string_view bytes, const ReadOptions& options,
                    const std::function<void(const std::string& name, Recording recording)>& take);

/// A repeatable source of a recording's events: a file, which is decoded again each time (Session), or the tables of a
/// recording that holds its events.
class EventSource {
public:
  virtual ~EventSource() = default;
  /// Passes all events to `sink`, and returns the recording that has them.
  virtual std::shared_ptr<const Recording> read(EventSink& sink) = 0;
};

/// Passes the events in the recording's own tables to `sink`, one batch at a time.
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
