#include "cli/check_report.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/sinks.hpp"
#include "cli/text_outputs.hpp"
#include "snapshot/file_kind.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

std::optional<std::uint64_t> stored_bytes(const std::string& file, std::uint64_t size_bytes) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_regular_file(file, error)) return std::nullopt;
  const std::uint64_t bytes = std::filesystem::file_size(file, error);
  return error || bytes == size_bytes ? std::nullopt : std::optional(bytes);
}

/// Bytes of something else have opcodes only by accident.
bool may_be_pickle(std::string_view bytes) {
  try {
    reject_foreign_file(bytes);
  } catch (const Error&) {
    return false;
  }
  return !looks_like_json(bytes);
}

void survey(Input& input, Progress& progress, CheckReport& report) {
  if (!may_be_pickle(input.bytes())) return;
  report.survey = pickle::survey(input.bytes(), pickle::Progress([&](std::uint64_t done_bytes) {
                                   input.release_before(static_cast<std::size_t>(done_bytes));
                                   progress.show("counting opcodes", done_bytes, input.bytes().size());
                                 }));
}

void decode(Input& input, const Arguments& arguments, Progress& progress, CheckReport& report) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  ReadOptions options;
  options.on_reader = [&](const ReadBy& read_by) { report.read_by = read_by; };
  try {
    if (arguments.has("structure")) {
      NoEvents nowhere;
      options.sink = &nowhere;
      report.recording = decoded(input, options, arguments, progress);
    } else {
      Accounts accounts;
      options.sink = &accounts;
      const auto recording = decoded(input, options, arguments, progress);
      report.state = accounts.state_of(recording);
      report.recording = recording;
    }
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    report.error = error.what();
  }
  report.decoding_seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

CheckReport checked(const std::string& file, const Arguments& arguments) {
  CheckReport report;
  report.file = file;
  Progress progress(picture_name(file), arguments.has("quiet"));
  Input input = opened(file, progress);
  report.size_bytes = input.bytes().size();
  report.stored_bytes = stored_bytes(file, report.size_bytes);
  decode(input, arguments, progress, report);
  // Where the structure alone is asked for, what a second pass costs would only blur its time.
  if (!arguments.has("structure") || !report.recording) survey(input, progress, report);
  return report;
}

void say_speed(const CheckReport& report) {
  constexpr double kMega = 1e6;
  const double megabytes = static_cast<double>(report.size_bytes) / kMega;
  say_message(fmt::format("{}: decoded and validated {:.1f} MB in {:.3f} s, {:.0f} MB/s", report.file, megabytes,
                          report.decoding_seconds,
                          report.decoding_seconds > 0 ? megabytes / report.decoding_seconds : 0));
}

int run(const Arguments& arguments) {
  const TextOutputs outputs(arguments);
  const std::string& file = arguments.operands().front();
  const CheckReport report = naming_file(file, [&] { return checked(file, arguments); });
  outputs.write(
      arguments, [&] { return check_text(report); }, [&] { return check_json(report); });
  if (!report.recording) throw Error(file + ": " + report.error);
  if (arguments.has("quiet")) return kSuccess;
  say_warnings(file, report.state ? report.state->all_warnings() : report.recording->warnings);
  if (arguments.has("structure")) say_speed(report);
  return kSuccess;
}

} // namespace

Command check_command() {
  return {
      .name = "check",
      .operands = "SNAPSHOT [options]",
      .operand_count = 1,
      .summary = "is it well-formed and balanced, who wrote it, what is in it; what a hostile one tried",
      .text = "Reads the whole file and says whether it is a snapshot and whether its accounts add up; who wrote it "
              "and with which PyTorch; its opcodes and what bounds them. Of a file that would run code in Python it "
              "names each attempt, with its place; nothing is run. The exit code is 0 for a snapshot, also one with "
              "warnings, and 1 for everything else.",
      .examples = "  memviz check mem.pickle\n"
                  "  memviz check attachment.pickle || echo not opened\n"
                  "  memviz check mem.pickle.zst --json - | jq .opcodes.total\n"
                  "  memviz check big.pickle --structure\n",
      .options = joined({{{"structure", '\0', "",
                           "decode and validate everything, but replay nothing and count no opcodes; the time it took "
                           "goes to standard error"}},
                         TextOutputs::options(),
                         general_options()}),
      .run = run,
  };
}

} // namespace memviz::cli
