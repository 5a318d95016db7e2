#include "cli/files.hpp"

#include "cli/common_options.hpp"
#include "cli/messages.hpp"
#include "cli/sinks.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "snapshot/file_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace memviz::cli {

namespace {

/// Runs `write`; an Error in it gets the name of the output.
template <class Write> void naming_output(const std::string& path, Write write) {
  try {
    write();
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw NamedError((path == "-" ? "standard output" : path) + ": " + error.what());
  }
}

} // namespace

Input opened(const std::string& file, Progress& progress) {
  InputOptions options;
  options.check_head = reject_foreign_head;
  options.on_progress = [&](std::uint64_t done_bytes, std::uint64_t total_bytes) {
    progress.show("reading", done_bytes, total_bytes);
  };
  return read_input(file, options);
}

Snapshot decoded(Input& input, EventSink* sink, const Arguments& arguments, Progress& progress) {
  ReadOptions options;
  options.sink = sink;
  options.rewriter = arguments.redactor();
  options.threads = threads_of(arguments);
  options.on_progress = [&](std::uint64_t done_bytes) {
    input.release_before(static_cast<std::size_t>(done_bytes));
    progress.show("decoding", done_bytes, input.bytes().size());
  };
  const auto refuse_changed = [&] {
    if (input.has_changed()) throw Error("changed while it was read; run it again when the file is complete");
  };
  try {
    Snapshot snapshot = read_snapshot(input.bytes(), options);
    refuse_changed();
    return snapshot;
  } catch (const Error&) {
    refuse_changed();
    throw;
  }
}

namespace {

/// With the time of the annotation that it names: annotations stand behind the events in a file, so it is read once for
/// them and once more for the state at that time.
MomentChoice choice_of(const MomentRequest& moment, const std::string& name, Input& input, const Arguments& arguments,
                       Progress& progress) {
  if (!needs_annotation(moment)) return moment.choice;
  NoEvents nothing;
  return moment_in(moment, name, decoded(input, &nothing, arguments, progress));
}

} // namespace

Loaded load(const std::string& file, const Arguments& arguments, const MomentRequest& moment) {
  std::string name = shown_name(file, arguments);
  return naming_file(name, [&] {
    Progress progress(picture_name(file), arguments.has("quiet"));
    Input input = opened(file, progress);
    Accounts accounts(choice_of(moment, name, input, arguments, progress));
    Snapshot snapshot = decoded(input, &accounts, arguments, progress);
    Replay replayed = accounts.rewind(snapshot);
    check_moment(moment, name, replayed);
    return Loaded{std::move(snapshot), std::move(replayed), std::move(name)};
  });
}

Snapshot load_with_events(const std::string& file, const Arguments& arguments) {
  return naming_file(shown_name(file, arguments), [&] {
    Progress progress(picture_name(file), arguments.has("quiet"));
    Input input = opened(file, progress);
    return decoded(input, nullptr, arguments, progress);
  });
}

std::string picture_name(const std::string& file) {
  return file == "-" ? "standard input" : std::string(file_basename(file));
}

std::string shown_name(const std::string& file, const Arguments& arguments) {
  return arguments.redactor() == nullptr ? file : arguments.redactor()->input_name(picture_name(file));
}

void check_redacted(const Arguments& arguments, std::string_view text) {
  if (arguments.redactor() == nullptr) return;
  const std::size_t leaks = arguments.redactor()->leaks(text);
  if (leaks == 0) return;
  throw Error(fmt::format("--redact {} left {} in the output, so nothing was written; please report this",
                          arguments.value("redact").value_or(""), format_counted(leaks, "hidden text")));
}

void write_output(const Arguments& arguments, const std::string& path, std::string_view text) {
  check_redacted(arguments, text);
  naming_output(path, [&] { write_file(path, text); });
}

void write_output(const Arguments& arguments, const std::string& path, const TextSource& source) {
  PieceOutput output(arguments, path);
  source([&](std::string_view piece) { output.write(piece); });
  output.finish();
}

PieceOutput::PieceOutput(const Arguments& arguments, std::string path) : arguments_(arguments), path_(std::move(path)) {
  if (arguments.redactor() == nullptr) naming_output(path_, [&] { file_.emplace(path_); });
}

void PieceOutput::write(std::string_view piece) {
  if (!file_) {
    held_ += piece;
    return;
  }
  naming_output(path_, [&] { file_->write(piece); });
}

void PieceOutput::finish() {
  if (!file_) return write_output(arguments_, path_, held_);
  naming_output(path_, [&] { file_->commit(); });
}

void check_output_file(const Arguments& arguments, const std::string& output) {
  if (output.empty()) throw UsageError("the name of an output is empty; - is standard output");
  for (const std::string& input : arguments.operands()) {
    std::error_code error;
    if (output == "-" || input == "-" || !std::filesystem::is_regular_file(input, error)) continue;
    if (std::filesystem::equivalent(input, output, error) && !error)
      throw UsageError(fmt::format("the output '{}' would replace the snapshot itself", output));
  }
  naming_output(output, [&] { check_output(output); });
}

void check_device(const std::string& file, const Snapshot& snapshot, std::optional<std::uint32_t> device) {
  const auto present = snapshot.devices();
  if (!device || std::find(present.begin(), present.end(), *device) != present.end()) return;
  throw UsageError(
      present.empty()
          ? fmt::format("--device {}: {} has no segments and no events on any device", *device, file)
          : fmt::format("--device {}: {} has no such device; it has {}", *device, file, fmt::join(present, ", ")));
}

} // namespace memviz::cli
