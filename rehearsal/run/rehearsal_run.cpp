#include "run/rehearsal_run.hpp"

#include "base/printable.hpp"
#include "hooks/hook_files.hpp"
#include "hooks/hook_folder.hpp"
#include "io/output_file.hpp"
#include "io/temporary_folder.hpp"
#include "memviz/error.hpp"
#include "run/both_ends.hpp"
#include "run/file_facts.hpp"
#include "run/installation.hpp"
#include "run/question.hpp"
#include "run/read_files.hpp"
#include "run/run_environment.hpp"
#include "run/run_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// The dynamic linker would treat either as the end of a name.
void check_folder(const fs::path& folder) {
  if (folder.string().find_first_of(": ") != std::string::npos)
    throw Error("the folder of the made-up GPU, " + folder.string() +
                ", has a space or a colon in its name, which LD_PRELOAD does not support");
}

/// The library is for programs that the GNU C library's dynamic linker starts, like every build of PyTorch with CUDA.
void check_system(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists("/lib64/ld-linux-x86-64.so.2", ignored)) return;
  throw Error("the made-up GPU in " + folder.string() +
              " is for systems with the GNU C library on x86-64, as PyTorch with CUDA is; this one has no "
              "/lib64/ld-linux-x86-64.so.2");
}

/// Creates the output folder, and removes it again if it stays empty.
class OutputFolder {
public:
  explicit OutputFolder(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    is_new_ = fs::create_directories(path_, error);
    if (error) throw Error(path_.string() + ": " + error.message());
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder() {
    std::error_code ignored;
    if (is_new_ && fs::is_empty(path_, ignored)) fs::remove(path_, ignored);
  }

private:
  fs::path path_;
  bool is_new_ = false;
};

/// A process that was killed has no line of the made-up GPU.
void complete(RunFacts& facts, const Profile& profile) {
  for (DeviceUse& use : facts.uses) {
    if (use.total_bytes != 0) continue;
    use.total_bytes = profile.total_bytes;
    use.context_bytes = profile.context_bytes;
    use.peak_bytes += profile.context_bytes;
  }
}

/// The hook gives full paths; people see them relative to the folder as they named it.
void shorten(RunFacts& facts, const fs::path& output) {
  const auto shown = [&](std::string& file) {
    if (!file.empty()) file = (output / fs::path(file).filename()).string();
  };
  for (OutOfMemoryFact& oom : facts.ooms)
    shown(oom.file);
  for (WrittenFile& file : facts.files)
    shown(file.path);
}

void read_peak(FitVerdict& verdict) {
  const std::vector<WrittenFile>& files = verdict.facts.files;
  if (files.empty()) return;
  const DeviceUse* const use = fullest(verdict.facts);
  const auto of_fullest =
      std::ranges::find_if(files, [&](const WrittenFile& file) { return use != nullptr && file.pid == use->pid; });
  verdict.peak = facts_at_peak((of_fullest == files.end() ? files.front() : *of_fullest).path);
}

void read_failure(FitVerdict& verdict) {
  const std::vector<OutOfMemoryFact>& ooms = verdict.facts.ooms;
  const auto last =
      std::find_if(ooms.rbegin(), ooms.rend(), [](const OutOfMemoryFact& oom) { return !oom.file.empty(); });
  if (last != ooms.rend()) verdict.failure = facts_at_failure(last->file);
}

/// Reads what is not part of the verdict: an error here does not change the answer.
template <class Read> void reading(FitVerdict& verdict, Read read) {
  try {
    read(verdict);
  } catch (const Error& error) {
    verdict.facts.failures.emplace_back(std::string("a snapshot could not be read: ") + error.what());
  }
}

void write_hook_files(const fs::path& folder) {
  fs::create_directory(folder);
  hooks::write_hook(folder);
  for (const auto& [name, text] : hooks::kRehearsalFiles) {
    const fs::path file = folder / name;
    fs::create_directories(file.parent_path());
    write_file(file.string(), text);
  }
  fs::permissions(folder / "nvidia-smi", fs::perms::owner_all);
}

/// The private folder of one program: the hook and the made-up GPU that it gets, and the files that they leave.
class PrivateRun {
public:
  explicit PrivateRun(const Setup& setup)
      : setup_(setup), places_{file("site-packages"), file("log"),   file("report"),
                               file("shared"),        file("reads"), folder_with_names(setup.folder, file("gpu"))} {}

  // Stacks show the hook as a library, not as the program's own lines.
  void write_files() const {
    check_folder(places_.gpu);
    write_hook_files(places_.hook);
  }

  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }
  [[nodiscard]] const fs::path& reads() const { return places_.reads; }
  [[nodiscard]] Variables variables(const Present* present) const { return environment(setup_, places_, present); }

  [[nodiscard]] FitVerdict verdict(const Ending& ending) const {
    FitVerdict verdict;
    verdict.profile = setup_.profile;
    verdict.steps_asked = setup_.steps;
    verdict.computes_values = setup_.values == Values::on;
    verdict.has_outside = setup_.has_outside;
    verdict.ending = ending;
    verdict.facts = read_facts(places_.report, places_.log);
    complete(verdict.facts, setup_.profile);
    shorten(verdict.facts, setup_.output);
    verdict.outcome = outcome_of(verdict.ending, verdict.facts);
    reading(verdict, read_peak);
    reading(verdict, read_failure);
    return verdict;
  }

private:
  [[nodiscard]] fs::path file(const char* name) const { return folder_.path() / name; }

  const Setup& setup_;
  TemporaryFolder folder_;
  Places places_;
};

using PrivateRuns = std::vector<std::unique_ptr<PrivateRun>>;

std::vector<FitVerdict> verdicts_of(const PrivateRuns& runs, const std::vector<Ending>& endings) {
  std::vector<FitVerdict> verdicts;
  for (std::size_t index = 0; index < runs.size(); ++index)
    verdicts.push_back(runs[index]->verdict(endings[index]));
  return verdicts;
}

/// Whether a run of the same program would end the same way: one that nothing outside of it ended.
bool is_repeatable(const Setup& setup, const FitVerdict& verdict) {
  const bool is_late = verdict.facts.is_stopped && setup.steps && verdict.facts.steps < *setup.steps;
  return is_answer(verdict) && verdict.ending.signal == 0 && verdict.facts.interrupted_at.empty() &&
         verdict.facts.failures.empty() && !is_late;
}

/// Keeps the run in the cache, or says why it is made anew the next time.
void keep(const Setup& setup, const std::string& question, std::uint64_t begin_ns, const RunPlaces& places,
          const PrivateRuns& runs, const std::vector<Ending>& endings, const std::vector<FitVerdict>& verdicts) {
  if (!std::ranges::all_of(verdicts, [&](const FitVerdict& one) { return is_repeatable(setup, one); })) return;
  std::vector<ReadFile> reads;
  std::vector<fs::path> own = places.folders;
  own.push_back(places.output);
  for (const auto& run : runs) {
    ReadFiles of_run = read_files(run->reads(), begin_ns, own);
    if (!of_run.unknown_reason.empty())
      return setup.say(fmt::format("not kept in the cache: {}", printable(of_run.unknown_reason)));
    reads.insert(reads.end(), of_run.files.begin(), of_run.files.end());
  }
  std::vector<fs::path> snapshots;
  for (const FitVerdict& verdict : verdicts) {
    for (const WrittenFile& file : verdict.facts.files)
      snapshots.emplace_back(file.path);
    for (const OutOfMemoryFact& oom : verdict.facts.ooms)
      if (!oom.file.empty()) snapshots.emplace_back(oom.file);
  }
  setup.cache->keep(question, reads, endings, places, snapshots);
}

/// Returns the verdicts of the run in the cache, or runs the programs.
std::vector<FitVerdict> cached_or_run(const Setup& setup, const std::optional<std::string>& question,
                                      const PrivateRuns& runs, const std::function<std::vector<Ending>()>& run) {
  RunPlaces places{{}, setup.output};
  for (const auto& one : runs)
    places.folders.push_back(one->folder());
  if (question) {
    if (const auto found = setup.cache->find(*question, places)) {
      std::vector<FitVerdict> verdicts = verdicts_of(runs, found->endings);
      for (FitVerdict& verdict : verdicts)
        verdict.cached_at = found->at_seconds;
      return verdicts;
    }
  }
  for (const auto& one : runs)
    one->write_files();
  const std::uint64_t begin_ns = file_clock_ns();
  const std::vector<Ending> endings = run();
  std::vector<FitVerdict> verdicts = verdicts_of(runs, endings);
  if (question) keep(setup, *question, begin_ns, places, runs, endings, verdicts);
  return verdicts;
}

/// Returns the key of the run in the cache; nullopt if it is made in any case.
std::optional<std::string> cached_question(const Setup& setup, const std::vector<std::string>& words,
                                           const Variables& variables, const RankSet* ranks) {
  if (!setup.cache) return std::nullopt;
  auto question = question_of(setup, words, variables, ranks);
  if (!question) setup.say("not kept in the cache: the program may read standard input, which is a pipe");
  return question;
}

/// Runs the program as each of `ranks` at the same time; `more` is added to the environment of each.
std::vector<FitVerdict> run_together(const Setup& setup, const RankSet& ranks, const std::vector<std::string>& words,
                                     const Variables& more) {
  const TemporaryFolder meeting;
  PrivateRuns runs;
  std::vector<Variables> variables;
  for (const std::uint64_t rank : ranks) {
    runs.push_back(std::make_unique<PrivateRun>(setup));
    const Present present{rank, ranks, meeting.path()};
    variables.push_back(runs.back()->variables(&present));
    variables.back().insert(variables.back().end(), more.begin(), more.end());
  }
  const auto on_end = [&](std::size_t index) {
    write_file((meeting.path() / ("ended-" + std::to_string(ranks[index]))).string(), "");
    std::error_code ignored;
    return fs::exists(meeting.path() / "again", ignored);
  };
  return cached_or_run(setup, cached_question(setup, words, more, &ranks), runs,
                       [&] { return run_in_foreground(words, variables, on_end, setup.program_output); });
}

std::vector<FitVerdict> run_alone(const Setup& setup, const std::vector<std::string>& words, const Variables& more) {
  PrivateRuns runs;
  runs.push_back(std::make_unique<PrivateRun>(setup));
  Variables variables = runs.front()->variables(nullptr);
  variables.insert(variables.end(), more.begin(), more.end());
  return cached_or_run(setup, cached_question(setup, words, more, nullptr), runs,
                       [&] { return std::vector{run_in_foreground(words, variables, setup.program_output)}; });
}

Variables joined(Variables variables, const Variables& more) {
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
}

} // namespace

std::string_view word_of(Values values) {
  switch (values) {
  case Values::automatic: return "auto";
  case Values::on: return "on";
  case Values::off: break;
  }
  return "off";
}

FitVerdict rehearse(const Setup& setup, const std::vector<std::string>& words, const Variables& variables) {
  check_system(setup.folder);
  const auto run_once = [&](const Setup& once, const Variables& of_end) {
    const OutputFolder output(once.output);
    return run_alone(once, words, joined(variables, of_end));
  };
  return rehearse_both_ways(setup, run_once).front();
}

std::vector<FitVerdict> rehearse_ranks(const Setup& setup, const RankSet& ranks, const std::vector<std::string>& words,
                                       const Variables& variables) {
  if (ranks.size() > kMostMeeting)
    throw UsageError("at most " + std::to_string(kMostMeeting) + " ranks run at the same time");
  check_system(setup.folder);
  const auto run_once = [&](const Setup& once, const Variables& of_end) {
    const OutputFolder output(once.output);
    return run_together(once, ranks, words, joined(variables, of_end));
  };
  return rehearse_both_ways(setup, run_once);
}

} // namespace memviz::rehearse
