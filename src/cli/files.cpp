#include "cli/files.hpp"

#include "cli/common_options.hpp"
#include "cli/messages.hpp"
#include "io/output_file.hpp"
#include "memviz/input.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz::cli {

Loaded load(const std::string& file, const Arguments& arguments) {
  const unsigned threads = threads_of(arguments);
  return naming_file(file, [&] {
    const Input input = read_input(file);
    Accounts accounts;
    Snapshot snapshot = read_snapshot(input.bytes(), {.sink = &accounts, .threads = threads, .on_progress = {}});
    Replay replayed = accounts.finish(snapshot);
    return Loaded{std::move(snapshot), std::move(replayed)};
  });
}

std::string picture_name(const std::string& file) {
  return file == "-" ? "standard input" : std::string(file_basename(file));
}

void write_output(const std::string& path, std::string_view text) {
  try {
    write_file(path, text);
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw Error((path == "-" ? "standard output" : path) + ": " + error.what());
  }
}

void keep_inputs(const Arguments& arguments, const std::string& output) {
  for (const std::string& input : arguments.operands()) {
    std::error_code error;
    if (output == "-" || input == "-" || !std::filesystem::is_regular_file(input, error)) continue;
    if (std::filesystem::equivalent(input, output, error) && !error)
      throw UsageError(fmt::format("the output '{}' would replace the snapshot itself", output));
  }
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
