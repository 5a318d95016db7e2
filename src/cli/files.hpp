#pragma once

// File names of the command line -> snapshots, and texts -> the outputs that it names.

#include "cli/arguments.hpp"
#include "cli/moment.hpp"
#include "cli/progress.hpp"
#include "io/output_file.hpp"
#include "io/scratch_file.hpp"
#include "memviz/births.hpp"
#include "memviz/export.hpp"
#include "memviz/input.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// A recording as it was at a moment; its events were replayed while they were read, and none is kept.
struct Loaded {
  MemoryState state;
  std::string name; ///< what messages and outputs call the file
};

/// The same, with what the events tell of each block of that moment.
struct LoadedBlocks {
  Loaded loaded;
  std::vector<BlockBirth> births; ///< by block index
};

/// The file as the command line names it; with --redact its base name, or a pseudonym.
[[nodiscard]] std::string shown_name(const std::string& file, const Arguments& arguments);

/// The bytes of a file, compared with what a snapshot begins with while they are read into memory. Throws Error without
/// the file's name.
[[nodiscard]] Input opened(const std::string& file, Progress& progress);

/// Reads a recording whose events go to `sink`, or where that is null into its traces, and gives the pages of a mapped
/// file back meanwhile. Throws Error without the file's name.
[[nodiscard]] std::shared_ptr<const Recording> decoded(Input& input, EventSink* sink, const Arguments& arguments,
                                                       Progress& progress);
/// The same; `options` may hold what the command line does not say.
[[nodiscard]] std::shared_ptr<const Recording> decoded(Input& input, ReadOptions options, const Arguments& arguments,
                                                       Progress& progress);

/// Both, with a replay of the events. Throws Error, with the file's name, for everything that keeps it from being read
/// as a snapshot, and UsageError where it does not have the moment.
[[nodiscard]] Loaded load(const std::string& file, const Arguments& arguments, const MomentRequest& moment);

/// The same; looks at the events twice.
[[nodiscard]] LoadedBlocks load_blocks(const std::string& file, const Arguments& arguments,
                                       const MomentRequest& moment);

/// Reads a recording with all its events. Throws what load() throws.
[[nodiscard]] std::shared_ptr<const Recording> load_with_events(const std::string& file, const Arguments& arguments);

/// What a picture calls the file: its own name, because a picture is passed on and folders are nobody's business.
[[nodiscard]] std::string picture_name(const std::string& file);

/// Throws Error where --redact hid something that stands in `text` after all. Called for every output before the first
/// one is written.
void check_redacted(const Arguments& arguments, std::string_view text);

/// Throws Error with the path, or "standard output", when it cannot be written; and what check_redacted() throws.
void write_output(const Arguments& arguments, const std::string& path, std::string_view text);

/// The same of a text that is never held whole.
void write_output(const Arguments& arguments, const std::string& path, const TextSource& source);

/// An output that is written piece by piece, and whole or not there after finish().
class PieceOutput {
public:
  /// `-` is standard output. These throw NamedError when it cannot be written, and ReaderGone; finish() also throws
  /// what check_redacted() throws.
  PieceOutput(const Arguments& arguments, std::string path);
  void write(std::string_view piece);
  void finish();

private:
  void look_through(std::string_view lines);

  const Arguments& arguments_;
  std::string path_;
  std::optional<OutputFile> file_;
  /// What goes to standard output with --redact: nobody can take it back, so all of it is looked through before.
  std::optional<ScratchFile> waiting_;
  std::string line_; ///< with --redact: what has not been looked through, because a word may go on
};

/// Before the work begins: throws UsageError when `output` would replace one of the snapshots that the command reads,
/// standard input's file included, or when two options name the same output, and Error when it cannot be written.
void check_output_file(const Arguments& arguments, const std::string& output);

/// Throws UsageError, with the devices present, when the file has nothing on `device`.
void check_device(const std::string& file, const Recording& recording, std::optional<std::uint32_t> device);

} // namespace memviz::cli
