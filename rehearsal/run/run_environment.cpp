#include "run/run_environment.hpp"

#include "base/json_writer.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// Returns `first`, followed by the variable's value.
std::pair<std::string, std::string> before_own(const std::string& name, const std::string& first) {
  const char* const own = std::getenv(name.c_str());
  return {name, own == nullptr || *own == '\0' ? first : first + ':' + own};
}

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

} // namespace

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
  if (setup.cache) result.emplace_back("MEMVIZ_REHEARSAL_READS", places.reads.string());
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

} // namespace memviz::rehearse
