#include "cli/commands/compare_jobs.hpp"

#include "base/path_ends.hpp"
#include "base/snapshot_names.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/rank_files.hpp"
#include "cli/frame/text_outputs.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "memviz/error.hpp"
#include "story/compare_jobs_words.hpp"

#include <filesystem>
#include <system_error>

namespace memviz::cli {

namespace {

/// Gates check every line, so more lines are kept than in the parts that leave a node.
constexpr std::size_t kGateTextBytes = std::size_t{64} << 10U;

JobReport job_of(const std::string& operand, const CommandOptions& options, const RankOptions& ranks) {
  return job_report(parts_of_files({operand}, options.file, kGateTextBytes), ranks);
}

/// Removes the slashes that shells append on completion.
std::string job_name(std::string operand, const FileOptions& options) {
  while (operand.size() > 1 && operand.ends_with('/'))
    operand.pop_back();
  return shown_name(operand, options);
}

void check_jobs(const CommandOptions& options) {
  for (const std::string& operand : options.operands) {
    const std::string name = shown_name(operand, options.file);
    std::error_code unknown;
    if (operand != "-" && !std::filesystem::exists(operand, unknown)) throw Error(name + ": no such file or folder");
    if (is_folder_or_parts(operand) || has_archive_ending(operand)) continue;
    throw UsageError(name + " is a single file: compare two folders, or two files, with each other");
  }
}

} // namespace

int answer_jobs(const CommandOptions& options, const JobsQuestion& question) {
  check_jobs(options);
  const auto [before, after] =
      told_apart(job_name(options.operands[0], options.file), job_name(options.operands[1], options.file));
  const JobNames names{before, after};
  const JobComparison comparison = compare_jobs(job_of(options.operands[0], options, question.ranks),
                                                job_of(options.operands[1], options, question.ranks), question.compare);
  const std::string text = compare_jobs_text(comparison, names, text_columns());
  if (question.json) {
    const std::string json = compare_jobs_json(comparison, names);
    check_redacted(options.file, text);
    write_output(options.file, *question.json, json);
  }
  if (question.json == "-")
    say(text);
  else
    write_text(options.file, "-", text);
  if (comparison.ranks.empty()) return kBadData;
  if (const auto message = jobs_exceeded_text(comparison)) {
    say_message(after + ": " + *message);
    return kOverThreshold;
  }
  // A gate that did not check a rank has not been passed.
  const bool needs_all = question.is_strict || question.compare.limits;
  return needs_all && comparison.unread_files() > 0 ? kBadData : kSuccess;
}

} // namespace memviz::cli
