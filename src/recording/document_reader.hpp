#pragma once

// The Document of a whole file -> Recording: the part that the two readers of pickles and the reader of JSON share.

#include "memviz/recording.hpp"
#include "recording/budget.hpp"
#include "recording/frame_reader.hpp"
#include "recording/snapshots_in.hpp"
#include "recording/trace_end.hpp"
#include "recording/trace_reader.hpp"
#include "value/document.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace memviz {

/// Keeps the events in the snapshot, for callers without a sink.
class EventStore final : public EventSink {
public:
  explicit EventStore(Recording& recording) : recording_(recording) {}
  void take(DeviceId device, std::span<const Event> events) override {
    EventTable& trace = recording_.traces.make(device);
    for (const Event& event : events)
      trace.push(event);
  }
  void restart() override { recording_.traces.clear(); }

private:
  Recording& recording_;
};

/// The readers used in one reading, which share their knowledge of the document.
struct Readers {
  /// `may_leave_out`: omit malformed parts that hold no GPU memory, with a warning. Without it they throw: the fast
  /// reader gives up, and the plain one omits them.
  Readers(const Document& read_document, Recording& read_snapshot, std::uint64_t file_bytes, const ReadOptions& options,
          bool may_leave_out)
      : document(read_document), recording(read_snapshot), store(read_snapshot), budget(file_bytes),
        frames(read_document, read_snapshot.frames, options.rewriter),
        trace_end(options.sink == nullptr ? store : *options.sink),
        has_only_events(may_leave_out && memviz::has_only_events(read_document)),
        traces(read_document, frames, budget, read_snapshot, sink_of(options)), leaves_out(may_leave_out) {}
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  ~Readers() = default;

  const Document& document;
  Recording& recording;
  EventStore store;
  Budget budget;
  FrameReader frames;
  TraceEnd trace_end;
  bool has_only_events; ///< no segments: the plain reader computes them from the events
  TraceReader traces;
  bool leaves_out;
  bool are_segments_made_up = false; ///< of a file that is not a snapshot; gaps in them are no sign of an edit

private:
  EventSink& sink_of(const ReadOptions& options) {
    if (has_only_events) return trace_end;
    return options.sink == nullptr ? store : *options.sink;
  }
};

/// Reads everything in the document; from traces only what was not added before. Throws SchemaError.
void read_document(Readers& readers);

/// Called after read_document() to add facts about the pickle itself. `end_offset`: the offset after its STOP.
void finish_pickle(int protocol, std::uint64_t end_offset, std::string_view bytes, Recording& recording);

} // namespace memviz
