#include "cli/files.hpp"

#include "cli/common_options.hpp"
#include "cli/messages.hpp"
#include "cli/sinks.hpp"
#include "io/file_bytes.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "snapshot/file_kind.hpp"

#include <algorithm>
#include <array>
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

std::shared_ptr<const Recording> decoded(Input& input, EventSink* sink, const Arguments& arguments,
                                         Progress& progress) {
  ReadOptions options;
  options.sink = sink;
  return decoded(input, std::move(options), arguments, progress);
}

std::shared_ptr<const Recording> decoded(Input& input, ReadOptions options, const Arguments& arguments,
                                         Progress& progress) {
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
    auto recording = std::make_shared<const Recording>(read_snapshot(input.bytes(), options));
    refuse_changed();
    return recording;
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
  return moment_in(moment, name, *decoded(input, &nothing, arguments, progress));
}

/// What `look` makes of the state and of the input that it was read from.
template <class Look>
auto looked_at(const std::string& file, const Arguments& arguments, const MomentRequest& moment, Look look) {
  std::string name = shown_name(file, arguments);
  return naming_file(name, [&] {
    Progress progress(picture_name(file), arguments.has("quiet"));
    Input input = opened(file, progress);
    Accounts accounts(choice_of(moment, name, input, arguments, progress));
    MemoryState state = accounts.state_of(decoded(input, &accounts, arguments, progress));
    check_moment(moment, name, state.devices);
    return look(Loaded{std::move(state), std::move(name)}, input, progress);
  });
}

} // namespace

Loaded load(const std::string& file, const Arguments& arguments, const MomentRequest& moment) {
  return looked_at(file, arguments, moment,
                   [](Loaded loaded, const Input& /*input*/, const Progress& /*progress*/) { return loaded; });
}

LoadedBlocks load_blocks(const std::string& file, const Arguments& arguments, const MomentRequest& moment) {
  return looked_at(file, arguments, moment, [&](Loaded loaded, Input& input, Progress& progress) {
    BirthFinder births(loaded.state);
    static_cast<void>(decoded(input, &births, arguments, progress));
    return LoadedBlocks{std::move(loaded), births.births()};
  });
}

std::shared_ptr<const Recording> load_with_events(const std::string& file, const Arguments& arguments) {
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
  naming_output(path_, [&] {
    file_.emplace(path_);
    if (path_ == "-" && arguments_.redactor() != nullptr) waiting_.emplace();
  });
}

void PieceOutput::write(std::string_view piece) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  if (arguments_.redactor() == nullptr) return naming_output(path_, [&] { file_->write(piece); });
  line_ += piece;
  if (line_.size() < kAtOnce || piece.find('\n') == std::string_view::npos) return;
  const std::size_t whole = line_.rfind('\n') + 1; // 0 where there is none
  look_through(std::string_view(line_).substr(0, whole));
  line_.erase(0, whole);
}

void PieceOutput::look_through(std::string_view lines) {
  check_redacted(arguments_, lines);
  naming_output(path_, [&] {
    if (waiting_)
      waiting_->write(lines);
    else
      file_->write(lines);
  });
}

void PieceOutput::finish() {
  look_through(line_);
  naming_output(path_, [&] {
    if (waiting_) waiting_->read([&](std::string_view piece) { file_->write(piece); });
    file_->commit();
  });
}

namespace {

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  if (one == other) return true;
  if (one == "-" || other == "-") return false;
  if (std::filesystem::equivalent(one, other, error) && !error) return true;
  // Neither need be there yet.
  return std::filesystem::weakly_canonical(one, error) == std::filesystem::weakly_canonical(other, error) && !error;
}

void check_outputs_differ(const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kOutputs{"output", "json", "markdown"};
  for (std::size_t i = 0; i < kOutputs.size(); ++i) {
    const auto one = arguments.value(kOutputs[i]);
    for (std::size_t k = i + 1; one && k < kOutputs.size(); ++k) {
      const auto other = arguments.value(kOutputs[k]);
      if (other && is_same_file(*one, *other))
        throw UsageError(fmt::format("{} and --{} name the same output", i == 0 ? "-o" : "--json", kOutputs[k]));
    }
  }
}

bool is_input(const std::string& input, const std::string& output) {
  std::error_code error;
  if (output == "-") return false;
  if (input == "-") return is_standard_input(output);
  return std::filesystem::is_regular_file(input, error) && std::filesystem::equivalent(input, output, error) && !error;
}

} // namespace

void check_output_file(const Arguments& arguments, const std::string& output) {
  if (output.empty()) throw UsageError("the name of an output is empty; - is standard output");
  if (output.starts_with('=')) {
    throw UsageError(fmt::format("'{0}' would be the name of the output; write '-o {1}', or './{0}' if that is meant",
                                 output, output.substr(1)));
  }
  for (const std::string& input : arguments.operands())
    if (is_input(input, output))
      throw UsageError(fmt::format("the output '{}' would replace the snapshot itself", output));
  check_outputs_differ(arguments);
  naming_output(output, [&] { check_output(output); });
}

void check_device(const std::string& file, const Recording& recording, std::optional<std::uint32_t> device) {
  const auto present = recording.devices();
  if (!device || std::find(present.begin(), present.end(), *device) != present.end()) return;
  throw UsageError(
      present.empty()
          ? fmt::format("--device {}: {} has no segments and no events on any device", *device, file)
          : fmt::format("--device {}: {} has no such device; it has {}", *device, file, fmt::join(present, ", ")));
}

} // namespace memviz::cli
