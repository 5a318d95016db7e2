#include "rehearse/rehearsal_run.hpp"

#include "base/json_writer.hpp"
#include "hooks/hook_files.hpp"
#include "hooks/hook_folder.hpp"
#include "io/output_file.hpp"
#include "io/temporary_folder.hpp"
#include "memviz/error.hpp"
#include "rehearse/both_ends.hpp"
#include "rehearse/file_facts.hpp"
#include "rehearse/installation.hpp"
#include "rehearse/run_facts.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// `first`, and what the variable holds behind it.
std::pair<std::string, std::string> before_own(const std::string& name, const std::string& first) {
  const char* const own = std::getenv(name.c_str());
  return {name, own == nullptr || *own == '\0' ? first : first + ':' + own};
}

/// What every snapshot says of itself. Of a profile that the user wrote, its name without its folder.
void write_mark(JsonWriter& json, const Setup& setup) {
  json.key("mark")
      .begin_object()
      .member("gpu", setup.profile.gpu)
      .member("profile", setup.profile.name)
      .member("total_bytes", setup.profile.total_bytes)
      .member("version", setup.version);
  if (setup.world) json.member("rank", setup.world->rank).member("ranks", setup.world->ranks);
  json.end_object();
}

/// What lies in a run's private folder.
struct Places {
  fs::path hook;
  fs::path log;
  fs::path report;
  fs::path gpu; ///< the made-up GPU's library under all of its names
};

/// For the hook; in ASCII, whatever the encoding of the program's environment is.
std::string hook_settings(const Setup& setup, const Places& places) {
  std::string text;
  JsonWriter json(text, JsonLayout::compact, JsonEscapes::ascii);
  json.begin_object()
      .member("log", places.log.string())
      .member("output", fs::absolute(setup.output).string())
      .member("record", setup.records)
      .member("max_entries", setup.max_entries)
      .member("steps", setup.steps)
      .member("requests", setup.requests)
      .member("ranks", setup.world ? std::optional(setup.world->ranks) : std::nullopt);
  write_mark(json, setup);
  json.end_object();
  return text;
}

Variables environment(const Setup& setup, const Places& places, const Variables& variables) {
  Variables result{
      before_own("LD_PRELOAD", (places.gpu / "libmemviz_rehearsal.so").string()),
      before_own("LD_LIBRARY_PATH", places.gpu.string()),
      before_own("PYTHONPATH", places.hook.string()),
      {"MEMVIZ_REHEARSAL_GPU", setup.profile_file.string()},
      {"MEMVIZ_REHEARSAL_DEVICES", std::to_string(setup.devices)},
      {"MEMVIZ_REHEARSAL_REPORT", places.report.string()},
      {"MEMVIZ_REHEARSAL_HOOK", hook_settings(setup, places)},
  };
  if (setup.memory_bytes) result.emplace_back("MEMVIZ_REHEARSAL_MEMORY", std::to_string(*setup.memory_bytes));
  if (setup.outside_bytes > 0) result.emplace_back("MEMVIZ_REHEARSAL_OUTSIDE", std::to_string(setup.outside_bytes));
  if (setup.world)
    for (auto& variable : launcher_variables(*setup.world))
      result.push_back(std::move(variable));
  result.insert(result.end(), variables.begin(), variables.end());
  return result;
}

/// The dynamic linker takes both for the end of a name.
void check_folder(const fs::path& folder) {
  if (folder.string().find_first_of(": ") != std::string::npos)
    throw Error("the folder of the made-up GPU, " + folder.string() +
                ", has a space or a colon in its name, and LD_PRELOAD knows no way to write that");
}

/// The library is for programs that the GNU C library's dynamic linker starts, as every build of PyTorch with CUDA is.
void check_system(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists("/lib64/ld-linux-x86-64.so.2", ignored)) return;
  throw Error("the made-up GPU in " + folder.string() +
              " is for systems with the GNU C library on x86-64, as PyTorch with CUDA is; this one has no "
              "/lib64/ld-linux-x86-64.so.2");
}

/// Makes the output folder, and removes it again where nothing was put into it.
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

/// The hook names files in full; people see them as they named the folder.
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
  const auto of_fullest = std::find_if(files.begin(), files.end(),
                                       [&](const WrittenFile& file) { return use != nullptr && file.pid == use->pid; });
  verdict.peak = facts_at_peak((of_fullest == files.end() ? files.front() : *of_fullest).path);
}

void read_failure(FitVerdict& verdict) {
  const std::vector<OutOfMemoryFact>& ooms = verdict.facts.ooms;
  const auto last =
      std::find_if(ooms.rbegin(), ooms.rend(), [](const OutOfMemoryFact& oom) { return !oom.file.empty(); });
  if (last != ooms.rend()) verdict.failure = facts_at_failure(last->file);
}

/// What goes wrong here does not change the answer.
template <class Read> void reading(FitVerdict& verdict, Read read) {
  try {
    read(verdict);
  } catch (const Error& error) {
    verdict.facts.failures.emplace_back(std::string("a snapshot could not be read: ") + error.what());
  }
}

} // namespace

bool is_answer(const FitVerdict& verdict) {
  return verdict.outcome == FitOutcome::fits || verdict.outcome == FitOutcome::does_not_fit;
}

FitVerdict rehearse(const Setup& setup, const std::vector<std::string>& words, const Variables& variables) {
  if (setup.both_ends) return rehearse_both_ends(setup, words, variables);
  check_system(setup.folder);
  const OutputFolder output(setup.output);
  FitVerdict verdict;
  verdict.profile = setup.profile;
  verdict.steps_asked = setup.steps;
  {
    const TemporaryFolder folder;
    // Stacks show the hook as a library, not as the program's own lines.
    const Places places{folder.path() / "site-packages", folder.path() / "log", folder.path() / "report",
                        folder_with_names(setup.folder, folder.path() / "gpu")};
    check_folder(places.gpu);
    fs::create_directory(places.hook);
    hooks::write_hook(places.hook);
    for (const auto& [name, text] : hooks::kRehearsalFiles)
      write_file((places.hook / name).string(), text);
    verdict.ending = run_in_foreground(words, environment(setup, places, variables), setup.program_output);
    verdict.facts = read_facts(places.report, places.log);
  }
  complete(verdict.facts, setup.profile);
  shorten(verdict.facts, setup.output);
  verdict.outcome = outcome_of(verdict.ending, verdict.facts);
  reading(verdict, read_peak);
  reading(verdict, read_failure);
  return verdict;
}

} // namespace memviz::rehearse
