#pragma once

// A file -> what somebody wants to know of it: the one way in. Events are looked at while the file is decoded and then
// forgotten, unless they are wanted; so one pass over the file is enough for most wants, and memory is a fraction of
// it.

#include "memviz/input.hpp"
#include "memviz/kinds.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/moment_choice.hpp"
#include "memviz/read_by.hpp"
#include "memviz/text_rewriter.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

struct SessionOptions {
  /// The name of the file in messages about the moment.
  std::string name = "the file";
  /// The rewriter through which the file's texts pass on their way into the recording; null for none.
  TextRewriter* rewriter = nullptr;
  /// Threads that decode the events, this one included.
  unsigned threads = 1;
  /// Called now and then, with what is being done ("reading", "decoding") and how far it is; 0 bytes in all: unknown.
  std::function<void(std::string_view step, std::uint64_t done_bytes, std::uint64_t total_bytes)> on_progress = {};
  /// Called with the frames of each recording once it is read, to add the source text of their lines.
  std::function<void(FrameTable& frames)> add_sources = {};
  /// Called when a file was read, or could not be: which reader did it.
  std::function<void(const ReadBy& read_by)> on_reader = {};
};

/// The parts of a file that are wanted in addition to its recording and the state of its memory.
struct Wants {
  MomentChoice moment = {};  ///< of the state. An annotation's time takes one more pass over the file
  bool events = false;       ///< Recording::traces, which take memory
  bool births = false;       ///< how each block of the state came to be; takes a second pass over the events
  bool kinds = false;        ///< of the blocks of the state, and DeviceRecord::kinds of the timeline
  bool peak_kinds = false;   ///< what kinds of memory the peak was, whatever the moment; with `kinds`
  KindRules kind_rules = {}; ///< the user's own
  bool timeline = false;
  EventSink* sink = nullptr; ///< gets all events as well
};

struct Opened {
  MemoryState state;                       ///< with its recording, and births and kinds where wanted
  std::vector<DeviceRecord> timeline = {}; ///< a record for each device of the recording, where wanted
  KindsByDevice peak_kinds = {};           ///< where wanted
};

/// An input that is read as often as its wants take.
class Session final : public EventSource {
public:
  explicit Session(Input input, SessionOptions options = {});
  /// Reads `path`, or standard input for `-`, and refuses at its first bytes what is not a snapshot. Throws what
  /// read_input() throws.
  explicit Session(const std::string& path, SessionOptions options = {});
  /// Takes a recording that holds its events; there is no input.
  explicit Session(std::shared_ptr<const Recording> recording, SessionOptions options = {});

  [[nodiscard]] Input& input() { return input_; }
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

  /// Reads the input once, keeps its events, which take memory, gives its bytes back, and returns the recording that
  /// has them. What is opened and read from now on takes no pass over the input. Throws what open() throws.
  std::shared_ptr<const Recording> keep_events();

  /// Throws Error, without the file's name, for everything that keeps it from being read as a snapshot, also that it
  /// changed meanwhile; UsageError where it does not have the moment; and what Wants::sink throws.
  [[nodiscard]] Opened open(const Wants& wants = {});

  /// One more pass over the input. Throws the same.
  std::shared_ptr<const Recording> read(EventSink& sink) override;

private:
  /// Keeps the events in the recording where `sink` is null.
  [[nodiscard]] std::shared_ptr<const Recording> decoded(EventSink* sink);
  [[nodiscard]] Opened open(EventSource& source, const Wants& wants) const;

  SessionOptions options_;
  Input input_;
  std::optional<RecordedEvents> kept_;
};

/// A session for one look at a file.
[[nodiscard]] Opened open(const std::string& path, const Wants& wants = {}, const SessionOptions& options = {});

} // namespace memviz
