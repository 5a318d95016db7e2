#include "cli/frame/rank_files.hpp"

#include "answers/rank_parts.hpp"
#include "answers/sizes.hpp"
#include "base/snapshot_names.hpp"
#include "cli/frame/many_files.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/progress.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/ranks_report.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>

namespace memviz::cli {

namespace {

std::uint64_t parse_step(std::string_view option, const std::string& word) {
  return parse_count(option, word, 0, std::numeric_limits<std::uint32_t>::max());
}

/// The way in which the snapshots of a job are read.
struct PartOptions {
  const FileOptions& file;
  const PartQuestion& question;
};

std::vector<RankPart> parts_of_session(const std::string& name, Session& session, const PartOptions& options) {
  if (session.input().bytes().starts_with(kRankPartHead)) {
    if (options.file.redactor != nullptr)
      throw Error("the lines of a part cannot be changed: make parts of the snapshots with --redact");
    return read_rank_parts(session.input().bytes());
  }
  std::vector<RankPart> parts = rank_parts(name, session, options.question);
  for (const RankPart& part : parts) {
    for (const ElsewhereMemory& other : part.elsewhere)
      check_redacted(options.file, other.line);
    for (const std::vector<LineMemory>* const lines : {&part.held, &part.not_held, &part.within})
      for (const LineMemory& held : *lines)
        check_redacted(options.file, held.line);
    check_redacted(options.file, part.asked_by);
    for (const KeeperMemory& one : part.keepers)
      check_redacted(options.file, one.keeper);
  }
  return parts;
}

/// Returns a part with the reason for a snapshot that could not be read; `name` is that of its file.
RankPart unread(const std::string& name, std::string_view message, const PartOptions& options) {
  const std::string_view reason = without_name(message, name);
  return unread_part(name, options.file.redactor == nullptr ? std::string(reason) : Redactor::message(reason));
}

/// Returns the parts of a file: one for each snapshot in it, or the parts that it contains.
std::vector<RankPart> parts_of(const std::string& file, const PartOptions& options) {
  const std::string name = shown_name(file, options.file);
  try {
    return naming_file(name, [&] {
      ProgressLine progress(picture_name(file), true);
      const SessionOptions session_opts = session_options(name, options.file, progress);
      Contents contents = contents_of(file, session_opts);
      std::vector<RankPart> parts;
      for (std::size_t i = 0; i < contents.names().size(); ++i) {
        const std::string& inside = contents.names()[i];
        const std::string own = inside.empty() ? name : shown_name(file + '/' + inside, options.file);
        try {
          Session session(contents.take(i), session_opts);
          std::ranges::move(parts_of_session(own, session, options), std::back_inserter(parts));
        } catch (const Error& error) {
          if (inside.empty()) throw;
          parts.push_back(unread(own, error.what(), options));
        }
      }
      return parts;
    });
  } catch (const Error& error) {
    return {unread(name, error.what(), options)};
  }
}

bool is_archive_of_several(const std::string& file) {
  std::error_code unknown;
  if (!has_archive_ending(file) || !std::filesystem::is_regular_file(file, unknown)) return false;
  try {
    return contents_of(file, {}).names().size() > 1;
  } catch (const Error&) {
    return false; // whoever reads it says why
  }
}

} // namespace

OptionList<RankOptions> rank_options() {
  return {
      verbatim(
          {"rank-pattern", '\0', "RE",
           "the rank in the names of the files, as the only group of a regular expression, such as 'node\\d+-(\\d+)' "
           "(default: as the file records, else words such as rank3, else the number that counts from 0 without gaps)"},
          &RankOptions::pattern),
      parsed({"step", '\0', "N", "only files with this step in their names (default: the latest file of each rank)"},
             &RankOptions::step, parse_step),
  };
}

std::vector<RankPart> parts_of_files(const std::vector<std::string>& operands, const FileOptions& options,
                                     std::size_t most_text_bytes) {
  const std::vector<std::string> files = files_of(operands);
  const PartQuestion question{kind_rules_of(options), most_text_bytes};
  FileOptions quiet = options;
  quiet.is_quiet = true;
  ProgressLine progress(format_counted(files.size(), "file"), options.is_quiet);
  std::vector<std::vector<RankPart>> by_file(files.size());
  std::vector<RankPart> parts;
  work_on_files(
      files, threads_for_files(options),
      [&](std::size_t i, unsigned threads) {
        const FileOptions own = options_of_one(quiet, threads);
        by_file[i] = parts_of(files[i], {own, question});
      },
      [&](std::size_t i) {
        std::ranges::move(by_file[i], std::back_inserter(parts));
        by_file[i].clear();
        progress.show("reading", i + 1, files.size());
      });
  return parts;
}

bool is_folder_or_parts(const std::string& operand) {
  std::error_code unknown;
  if (std::filesystem::is_directory(operand, unknown)) return true;
  // A pipe can be read only once, so it is treated as a snapshot.
  if (!std::filesystem::is_regular_file(operand, unknown)) return false;
  std::string head(kRankPartHead.size(), '\0');
  return std::ifstream(operand).read(head.data(), static_cast<std::streamsize>(head.size())) && head == kRankPartHead;
}

bool is_job(const std::string& operand, const FileOptions& options) {
  return is_folder_or_parts(operand) || (!options.rank && is_archive_of_several(operand));
}

} // namespace memviz::cli
