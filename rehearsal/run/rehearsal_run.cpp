#include "run/rehearsal_run.hpp"

#include "base/json_writer.hpp"
#include "hooks/hook_files.hpp"
#include "hooks/hook_folder.hpp"
#include "io/output_file.hpp"
#include "io/temporary_folder.hpp"
#include "memviz/error.hpp"
#include "run/both_ends.hpp"
#include "run/file_facts.hpp"
#include "run/installation.hpp"
#include "run/run_facts.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// Returns `first`, followed by the variable's value.
std::pair<std::string, std::string> before_own(const std::string& name, const std::string& first) {
  const char* const own = std::getenv(name.c_str());
  return {name, own == nullptr || *own == '\0' ? first : first + ':' + own};
}

/// A process that is one rank of a job.
struct Present {
  std::uint64_t rank;
  const RankSet& ranks; ///< that run at the same time, this one among them
  fs::path meeting;     ///< the folder in which they meet
};

/// Writes the mark that every snapshot contains. For a profile that the user wrote, only its name without its folder.
void write_mark(JsonWriter& json, const Setup& setup, const Present* present) {
  json.key("mark")
      .begin_object()
      .member("gpu", setup.profile.gpu)
      .member("profile", setup.profile.name)
      .member("total_bytes", setup.profile.total_bytes)
      .member("version", setup.version);
  if (present != nullptr)
    json.member("rank", present->rank)
        .member("ranks", setup.world->ranks)
        .member("present_ranks", static_cast<std::uint64_t>(present->ranks.size()));
  json.end_object();
}

/// The files in a run's private folder.
struct Places {
  fs::path hook;
  fs::path log;
  fs::path report;
  fs::path shared; ///< in which the processes see each other's memory
  fs::path gpu;    ///< the made-up GPU's library under all of its names
};

void write_job(JsonWriter& json, const Setup& setup, const Present* present) {
  json.member("ranks", present != nullptr ? std::optional(setup.world->ranks) : std::nullopt);
  if (present == nullptr) return;
  json.member("meeting", present->meeting.string()).member("most_present", std::uint64_t{kMostMeeting});
  json.key("present").begin_array();
  for (const std::uint64_t rank : present->ranks)
    json.value(rank);
  json.end_array();
}

/// Options for the hook; in ASCII, so that the encoding of the program's environment does not matter.
std::string hook_settings(const Setup& setup, const Places& places, const Present* present) {
  std::string text;
  JsonWriter json(text, JsonLayout::compact, JsonEscapes::ascii);
  json.begin_object()
      .member("log", places.log.string())
      .member("output", fs::absolute(setup.output).string())
      .member("record", setup.records)
      .member("max_entries", setup.max_entries)
      .member("steps", setup.steps)
      .member("seconds", setup.most_seconds)
      .member("no_init", setup.leaves_init_out)
      .member("requests", setup.requests)
      .member("values", word_of(setup.values))
      .member("outside_given", setup.has_outside)
      .member("shares_memory", setup.profile.system_bytes > 0);
  write_job(json, setup, present);
  write_mark(json, setup, present);
  json.end_object();
  return text;
}

Variables environment(const Setup& setup, const Places& places, const Present* present) {
  Variables result{
      before_own("LD_PRELOAD", (places.gpu / "libmemviz_rehearsal.so").string()),
      before_own("LD_LIBRARY_PATH", places.gpu.string()),
      before_own("PYTHONPATH", places.hook.string()),
      {"MEMVIZ_REHEARSAL_GPU", setup.profile_file.string()},
      {"MEMVIZ_REHEARSAL_DEVICES", std::to_string(setup.devices)},
      {"MEMVIZ_REHEARSAL_REPORT", places.report.string()},
      {"MEMVIZ_REHEARSAL_SHARED", places.shared.string()},
      {"MEMVIZ_REHEARSAL_OTHERS", fmt::format("{}", fmt::join(setup.other_bytes, ","))},
      {"MEMVIZ_REHEARSAL_HOOK", hook_settings(setup, places, present)},
  };
  if (std::getenv("PATH") != nullptr) result.push_back(before_own("PATH", places.hook.string())); // for nvidia-smi
  if (setup.memory_bytes) result.emplace_back("MEMVIZ_REHEARSAL_MEMORY", std::to_string(*setup.memory_bytes));
  if (setup.has_outside) result.emplace_back("MEMVIZ_REHEARSAL_OUTSIDE", std::to_string(setup.outside_bytes));
  // A real GPU must not find code that was compiled and chosen here, nor one rehearsal the code of another, which saves
  // the memory of choosing it.
  if (constexpr const char* kCompiled = "TORCHINDUCTOR_CACHE_DIR"; std::getenv(kCompiled) == nullptr)
    result.emplace_back(kCompiled, (places.log.parent_path() / "inductor").string());
  if (present == nullptr) return result;
  for (auto& variable : launcher_variables(*setup.world, present->rank))
    result.push_back(std::move(variable));
  // As torchrun does if it starts several processes.
  if (present->ranks.size() > 1 && std::getenv("OMP_NUM_THREADS") == nullptr)
    result.emplace_back("OMP_NUM_THREADS", "1");
  return result;
}

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
  // Stacks show the hook as a library, not as the program's own lines.
  explicit PrivateRun(const Setup& setup)
      : setup_(setup), places_{folder_.path() / "site-packages", folder_.path() / "log", folder_.path() / "report",
                               folder_.path() / "shared", folder_with_names(setup.folder, folder_.path() / "gpu")} {
    check_folder(places_.gpu);
    write_hook_files(places_.hook);
  }

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
  const Setup& setup_;
  TemporaryFolder folder_;
  Places places_;
};

/// Runs the program as each of `ranks` at the same time; `more` is added to the environment of each.
std::vector<FitVerdict> run_together(const Setup& setup, const RankSet& ranks, const std::vector<std::string>& words,
                                     const Variables& more) {
  const TemporaryFolder meeting;
  std::vector<std::unique_ptr<PrivateRun>> runs;
  std::vector<Variables> variables;
  for (const std::uint64_t rank : ranks) {
    runs.push_back(std::make_unique<PrivateRun>(setup));
    const Present present{rank, ranks, meeting.path()};
    variables.push_back(runs.back()->variables(&present));
    variables.back().insert(variables.back().end(), more.begin(), more.end());
  }
  const std::vector<Ending> endings = run_in_foreground(
      words, variables,
      [&](std::size_t index) {
        write_file((meeting.path() / ("ended-" + std::to_string(ranks[index]))).string(), "");
        std::error_code ignored;
        return fs::exists(meeting.path() / "again", ignored);
      },
      setup.program_output);
  std::vector<FitVerdict> verdicts;
  for (std::size_t index = 0; index < ranks.size(); ++index)
    verdicts.push_back(runs[index]->verdict(endings[index]));
  return verdicts;
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
    const PrivateRun run(once);
    Variables all = run.variables(nullptr);
    all.insert(all.end(), variables.begin(), variables.end());
    all.insert(all.end(), of_end.begin(), of_end.end());
    return std::vector{run.verdict(run_in_foreground(words, all, once.program_output))};
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
    Variables all = variables;
    all.insert(all.end(), of_end.begin(), of_end.end());
    return run_together(once, ranks, words, all);
  };
  return rehearse_both_ways(setup, run_once);
}

} // namespace memviz::rehearse
