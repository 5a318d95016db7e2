#pragma once

// A file -> what a caller wants to know about it: the one entry point. Events are processed while the file is decoded
// and then discarded, unless they are wanted, so one pass over the file is enough for most wants, and memory is a
// fraction of its size.

#include "memviz/contents.hpp"
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
  /// The file's name in messages about the moment.
  std::string name = "the file";
  /// The rewriter that the file's texts pass through on their way into the recording; null for none.
  TextRewriter* rewriter = nullptr;
  /// The number of threads that decode the events, including this one.
  unsigned threads = 1;
  /// The one of several snapshots in a file that is wanted, by its name or its rank; see Contents.
  std::optional<std::string> rank = {};
  /// Called now and then with the current phase ("reading", "decoding") and its progress; a total of 0 bytes: unknown.
  std::function<void(std::string_view step, std::uint64_t done_bytes, std::uint64_t total_bytes)> on_progress = {};
  /// Called with the frames of each recording once it is read, to add the source text of their lines, and with the
  /// time of the first event, if events have times.
  std::function<void(FrameTable& frames, std::optional<std::int64_t> first_us)> add_sources = {};
  /// Whether text that cannot be a snapshot is read too, for a caller that looks at Session::input() before open().
  bool takes_text = false;
  /// Called after a file was read, or could not be, with the reader that was used.
  std::function<void(const ReadBy& read_by)> on_reader = {};
};

/// The parts of a file that are wanted in addition to its recording and the state of its memory.
struct Wants {
  MomentChoice moment = {}; ///< of the state; the time of an annotation takes another pass over the file
  bool events = false;      ///< Recording::traces, which take memory
  bool births = false;      ///< the birth of each block of the state; takes a second pass over the events
  bool kinds = false;       ///< of the blocks of the state, and DeviceRecord::kinds of the timeline
  /// Another state, by the same pass over the file; of the moments that are found without a number or a name.
  std::optional<MomentKind> also = {};
  KindRules kind_rules = {}; ///< the user's own
  bool timeline = false;
  EventSink* sink = nullptr; ///< also receives all events
};

struct Opened {
  MemoryState state;                       ///< with its recording, and births and kinds if wanted
  std::vector<DeviceRecord> timeline = {}; ///< a record for each device of the recording, if wanted
  std::optional<MemoryState> also = {};    ///< if wanted
};

/// An input that is read as often as the wants require.
class Session final : public EventSource {
public:
  explicit Session(Input input, SessionOptions options = {});
  /// Opens `path`, or standard input for `-`, and refuses what is not a snapshot by its first bytes. Throws the
  /// exceptions of Contents and chosen_snapshot().
  explicit Session(const std::string& path, const SessionOptions& options = {});
  /// Takes one of the snapshots of a file.
  explicit Session(Contents::Snapshot snapshot, SessionOptions options = {});
  /// Takes a recording that holds its events; there is no input.
  explicit Session(std::shared_ptr<const Recording> recording, SessionOptions options = {});

  [[nodiscard]] Input& input() { return input_; }
  /// Returns the layers that the input was packed in, from the outside: "gzip", "tar".
  [[nodiscard]] const std::vector<std::string>& layers() const noexcept { return layers_; }
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }

  /// Reads the input once, keeps its events, which take memory, releases its bytes, and returns the recording. Later
  /// wants need no further pass over the input. Throws the exceptions of open().
  std::shared_ptr<const Recording> keep_events();

  /// Returns what is wanted. Throws Error, without the file's name, if it cannot be read as a snapshot, or changed
  /// meanwhile; UsageError if it does not have the moment; and the exceptions of Wants::sink.
  [[nodiscard]] Opened open(const Wants& wants = {});

  /// Reads the input once more. Throws the same exceptions.
  std::shared_ptr<const Recording> read(EventSink& sink) override;

  /// Reads an input that holds several snapshots once, and calls `take` with the name of each ("[0]", "['rank3']") and
  /// a session of it alone, which has its events. Throws the exceptions of open() and `take`.
  void read_each(const std::function<void(const std::string& name, Session& session)>& take);

private:
  /// Keeps the events in the recording if `sink` is null.
  [[nodiscard]] std::shared_ptr<const Recording> decoded(EventSink* sink);
  [[nodiscard]] Opened open(EventSource& source, const Wants& wants) const;

  SessionOptions options_;
  Input input_;
  std::vector<std::string> layers_;
  std::string place_; ///< of the input in its file, for errors; "" if it is the file
  std::optional<RecordedEvents> kept_;
};

/// Returns a session for a single use of a file.
[[nodiscard]] Opened open(const std::string& path, const Wants& wants = {}, const SessionOptions& options = {});

/// Opens a file, which may hold several snapshots, and refuses what is none by its first bytes; refers to `options` for
/// as long as it reads. Throws the exceptions of Contents.
[[nodiscard]] Contents contents_of(const std::string& path, const SessionOptions& options);

} // namespace memviz
