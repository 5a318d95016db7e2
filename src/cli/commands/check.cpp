#include "memviz/check.hpp"

#include "cli/frame/command.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/answers.hpp"
#include "memviz/check_report.hpp"
#include "memviz/warnings.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz::cli {

namespace {

struct CheckOptions : CommandOptions {
  TextOutputs outputs;
  bool structure = false;
};

OptionList<CheckOptions> check_options() {
  return joined<CheckOptions>(
      {{flag({"structure", '\0', "",
              "decode and validate everything, but replay nothing and count no opcodes; prints "
              "the time to standard error"},
             &CheckOptions::structure)},
       within<CheckOptions>(&CheckOptions::outputs, TextOutputs::options()),
       within<CheckOptions>(&CheckOptions::file, joined<FileOptions>({rank_choice_options(), general_options()}))});
}

CheckReport checked(const std::string& file, const CheckOptions& options) {
  ProgressLine progress(picture_name(file), options.file.is_quiet || options.file.waiting_messages != nullptr);
  return check(file, options.structure ? CheckDepth::structure : CheckDepth::whole,
               session_options(file, options.file, progress));
}

std::string speed_text(const CheckReport& report) {
  constexpr double kMega = 1e6;
  const double megabytes = static_cast<double>(report.size_bytes) / kMega;
  return fmt::format("{}: decoded and validated {:.1f} MB in {:.3f} s, {:.0f} MB/s", report.file, megabytes,
                     report.decoding_seconds, report.decoding_seconds > 0 ? megabytes / report.decoding_seconds : 0);
}

FileAnswer answer_of(const std::string& file, const CheckOptions& options) {
  const CheckReport report = naming_file(file, [&] { return checked(file, options); });
  FileAnswer answer;
  if (options.outputs.wants_text()) answer.text = check_text(report);
  if (options.outputs.wants_json()) answer.json = check_json(report);
  if (!report.recording) {
    answer.error = file + ": " + report.error;
    return answer;
  }
  say_warnings(options.file, file, report.state ? warnings_of(*report.state) : warnings_of(*report.recording));
  if (options.structure) options.file.advise(speed_text(report));
  return answer;
}

int run_check(const CheckOptions& given) {
  CheckOptions options = given;
  find_files(options);
  options.outputs.check(options);
  options.file.are_warnings_shown = options.outputs.shows_text_beside_messages();
  return answer_each(options, options.outputs, answer_of);
}

} // namespace

Command check_command() {
  const CommandText text{
      .name = "check",
      .operands = "SNAPSHOT...|FOLDER... [options]",
      .summary =
          "whether a file is well-formed and balanced, what wrote it, what it contains, and what a hostile one tried",
      .text = "Reads the whole file and reports whether it is a snapshot and whether its accounts balance; what wrote "
              "it, with which PyTorch; its opcodes and their limits. For a file that would run code in Python it names "
              "each attempt and its place; nothing is run. The exit code is 0 for a snapshot, even with warnings, and "
              "1 for everything else.",
      .examples = "  memviz check mem.pickle\n"
                  "  memviz check attachment.pickle || echo not opened\n"
                  "  memviz check mem.pickle.zst --json - | jq .opcodes.total\n"
                  "  memviz check *.pickle -q -o checked.txt\n"
                  "  memviz check big.pickle --structure\n",
      .takes_several = true,
  };
  return command(text, check_options(), run_check);
}

} // namespace memviz::cli
