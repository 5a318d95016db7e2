#include "cli/frame/file_options.hpp"

#include "answers/choice.hpp"
#include "answers/sizes.hpp"
#include "cli/frame/messages.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace memviz::cli {

namespace {

unsigned usual_threads() {
  constexpr unsigned kMostUseful = 4; // more would wait for the replay, which is a single thread
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMostUseful);
}

unsigned parse_threads(std::string_view option, const std::string& word) {
  return static_cast<unsigned>(parse_count(option, word, 1, 64));
}

SizeLimit parse_max_memory(std::string_view option, const std::string& word) {
  constexpr std::uint64_t kLeast = 16'000'000; // the program itself, plus room for error messages
  SizeLimit limit = parse_size_limit(option, word);
  if (limit.bytes < kLeast) throw UsageError(fmt::format("--{} must be at least 16M, not '{}'", option, word));
  return limit;
}

} // namespace

void FileOptions::say(std::string_view message) const {
  if (waiting_messages == nullptr)
    say_message(message);
  else
    waiting_messages->emplace_back(message);
}

void FileOptions::advise(std::string_view message) const {
  if (!is_quiet) say(message);
}

OptionList<FileOptions> redact_options() {
  return {
      rare(one_of<FileOptions, std::optional<Redact>, Redact>(
          {"redact", '\0', "WHAT",
           "hide what the snapshot reveals about your code, so that the result can be published. paths: folders and "
           "files; names: functions, classes, modules, annotations and metadata; all: both, free text in settings, and "
           "the snapshot's own name. Pseudonyms are the same in every run. Python, torch and widely known packages "
           "keep their names, and so does code that looks like them: forks in site-packages/torch or megatron, files "
           "below lib/python3.N, /torch/csrc/ or /usr/include/, C++ in the namespaces at, torch, cuda, jit or std, "
           "special methods, metadata without letters. Not hidden: sizes, times, addresses, counts, line numbers, the "
           "shape of stacks. Regular expressions are matched against pseudonyms"},
          &FileOptions::redact, {{"paths", Redact::paths}, {"names", Redact::names}, {"all", Redact::all}})),
      rare(verbatim(
          {"redact-key", '\0', "TEXT",
           "makes the pseudonyms depend on this text; without it, anyone who guesses a name can check the guess"},
          &FileOptions::redact_key)),
  };
}

OptionList<FileOptions> kind_rules_options() {
  return all_rare<FileOptions>(
      {verbatim({"kinds", '\0', "FILE",
                 "your own rules for kinds of memory (docs/kinds.md), one per line: a kind and a regular expression "
                 "for frames (/path/file.py:12:function), annotations and metadata, such as 'activation  "
                 "kv_cache\\.py'. They precede memviz's own rules"},
                &FileOptions::kinds)});
}

OptionList<FileOptions> source_options() {
  OptionText text{
      "source", '\0', "DIR",
      "show, in lists and tooltips, the text of lines whose file is in this folder and has not changed "
      "since the snapshot was written. Only source files in the folder are read (.py, .cpp, .cu, ...), no hidden "
      "ones, and no symbolic links are followed"};
  text.may_repeat = true;
  return {{std::move(text), [](FileOptions& options, const std::string& word) { options.sources.push_back(word); }}};
}

OptionList<FileOptions> rank_choice_options() {
  return {
      rare(verbatim({"rank", '\0', "R",
                     "which snapshot of a file that holds several (an archive, or a list or dict of snapshots): its "
                     "rank or its name"},
                    &FileOptions::rank))};
}

OptionList<FileOptions> general_options() {
  return {
      rare(parsed({"threads", '\0', "N",
                   "threads for decoding the file (default: the number of processors, at most 4; for several files all "
                   "of them)"},
                  &FileOptions::threads, parse_threads)),
      rare(parsed(
          {"max-memory", '\0', "SIZE",
           "fail cleanly instead of using more memory than this, for example 500M or 2GiB; an uncompressed "
           "snapshot file itself does not count (default: 80 bytes for each byte of the file, 800 if it is compressed, "
           "at least 256MiB and at most a quarter of the machine's memory)"},
          &FileOptions::max_memory, parse_max_memory)),
      rare(flag({"quiet", 'q', "", "print no warnings, hints and progress to standard error"}, &FileOptions::is_quiet)),
      help_option<FileOptions>(),
  };
}

namespace {

std::shared_ptr<Redactor> new_redactor(const FileOptions& options) {
  return std::make_shared<Redactor>(RedactOptions{*options.redact, options.redact_key.value_or("")});
}

} // namespace

void settle(FileOptions& options) {
  options.are_threads_given = options.threads > 0;
  if (!options.are_threads_given) options.threads = usual_threads();
  if (options.redact_key && !options.redact) throw UsageError("--redact-key needs --redact paths, names or all");
  if (options.redact && !options.sources.empty())
    throw UsageError("--source shows lines of your code, and --redact hides them: omit one of them");
  if (options.redact) options.redactor = new_redactor(options);
}

FileOptions options_of_one(const FileOptions& options, unsigned threads) {
  FileOptions own = options;
  own.threads = threads;
  if (options.redact) own.redactor = new_redactor(options);
  return own;
}

unsigned threads_for_files(const FileOptions& options) {
  if (options.max_memory) return 1;
  return options.are_threads_given ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
}

std::string shown_name(const std::string& file, const FileOptions& options) {
  return options.redactor == nullptr ? file : options.redactor->input_name(picture_name(file));
}

std::string shown_annotation(const FileOptions& options, std::string_view name) {
  return options.redactor == nullptr ? std::string(name) : options.redactor->text(TextKind::annotation, name);
}

} // namespace memviz::cli
