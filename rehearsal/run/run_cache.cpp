#include "run/run_cache.hpp"

#include "base/json_writer.hpp"
#include "base/sha256.hpp"
#include "io/compress.hpp"
#include "io/file_bytes.hpp"
#include "io/output_file.hpp"
#include "io/own_folder.hpp"
#include "memviz/error.hpp"
#include "memviz/input.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostCacheBytes = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMostRunBytes = std::uint64_t{512} << 20U;
constexpr std::string_view kRunEnding = ".run.gz";
constexpr int kFormat = 1;

/// Returns a name that hides the question: the environment in it may have secrets.
std::string name_of(const std::string& question) {
  std::string name;
  for (const std::uint8_t byte : sha256(question))
    name += fmt::format("{:02x}", byte);
  return name + std::string(kRunEnding);
}

std::int64_t written_at(const fs::path& file) {
  return fs::last_write_time(file).time_since_epoch().count();
}

/// A file of a run, in a folder of it or, with the index after the last of them, in its output folder.
struct RunFile {
  std::size_t folder;
  std::string name;
  std::int64_t written = 0; ///< in the units of the system's clock of files
  std::string_view bytes = {};
};

fs::path path_of(const RunPlaces& places, const RunFile& file) {
  return (file.folder < places.folders.size() ? places.folders[file.folder] : places.output) / file.name;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::string bytes_of(const fs::path& path) {
  const FileBytes file(path.string(), true);
  const auto input = file.total_bytes() == 0 ? std::nullopt : file.map();
  return input ? std::string(input->bytes()) : "";
}

/// Whether memviz reads the file in the folder of a process.
bool is_read_by_memviz(const std::string& name) {
  return name == "log" || name.starts_with("report");
}

/// Returns the files of a run, of which the snapshots are those in the output folder.
std::vector<RunFile> files_of(const RunPlaces& places, const std::vector<fs::path>& snapshots) {
  std::vector<RunFile> files;
  for (std::size_t folder = 0; folder < places.folders.size(); ++folder)
    for (const fs::directory_entry& entry : fs::directory_iterator(places.folders[folder]))
      if (is_read_by_memviz(entry.path().filename().string()) && entry.is_regular_file())
        files.push_back({folder, entry.path().filename().string()});
  for (const fs::path& snapshot : snapshots)
    files.push_back({places.folders.size(), snapshot.filename().string()});
  std::ranges::sort(files, {}, [](const RunFile& file) { return std::tuple(file.folder, file.name); });
  return files;
}

/// A first line in JSON, then the bytes of the files.
std::string entry_text(const std::vector<ReadFile>& reads, const std::vector<Ending>& endings,
                       const std::vector<RunFile>& files) {
  std::string text;
  JsonWriter json(text, JsonLayout::compact, JsonEscapes::ascii);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  json.begin_object().member("format", std::int64_t{kFormat});
  json.member("at", std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(now).count()});
  json.key("endings").begin_array();
  for (const Ending& ending : endings)
    json.begin_array().value(std::int64_t{ending.exit_code}).value(std::int64_t{ending.signal}).end_array();
  json.end_array().key("reads").begin_array();
  for (const ReadFile& read : reads) {
    json.begin_array().value(std::string(1, read.kind)).value(read.path);
    for (const std::uint64_t number : read.state)
      json.value(number);
    json.end_array();
  }
  json.end_array().key("files").begin_array();
  for (const RunFile& file : files)
    json.begin_array()
        .value(std::uint64_t{file.folder})
        .value(file.name)
        .value(file.written)
        .value(std::uint64_t{file.bytes.size()})
        .end_array();
  json.end_array().end_object();
  text += '\n';
  for (const RunFile& file : files)
    text += file.bytes;
  return text;
}

struct Entry {
  CachedRun run;
  std::vector<ReadFile> reads;
  std::vector<RunFile> files; ///< with bytes of the parsed text
};

/// Throws Error or nlohmann's exceptions if it is not an entry.
Entry parsed(std::string_view text, std::size_t folders) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const nlohmann::json json = nlohmann::json::parse(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  if (json.at("format") != kFormat) throw Error("another format");
  Entry entry;
  entry.run.at_seconds = json.at("at").get<std::int64_t>();
  for (const auto& ending : json.at("endings"))
    entry.run.endings.push_back({.exit_code = ending.at(0).get<int>(), .signal = ending.at(1).get<int>()});
  for (const auto& read : json.at("reads")) {
    ReadFile file{read.at(0).get<std::string>().at(0), read.at(1).get<std::string>()};
    for (std::size_t i = 2; i < read.size(); ++i)
      file.state.push_back(read[i].get<std::uint64_t>());
    entry.reads.push_back(std::move(file));
  }
  for (const auto& given : json.at("files")) {
    RunFile file{given.at(0).get<std::size_t>(), given.at(1).get<std::string>(), given.at(2).get<std::int64_t>()};
    const auto size = given.at(3).get<std::uint64_t>();
    if (file.folder > folders || !is_plain_name(file.name) || size > text.size()) throw Error("damaged");
    file.bytes = text.substr(0, size);
    text.remove_prefix(size);
    entry.files.push_back(std::move(file));
  }
  if (entry.run.endings.size() != folders || !text.empty()) throw Error("damaged");
  return entry;
}

/// Whether the file may be written: it is not there, or has these bytes.
bool has_room(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return true;
  return fs::is_regular_file(status) && fs::file_size(path) == bytes.size() && bytes_of(path) == bytes;
}

void restore(const Entry& entry, const RunPlaces& places) {
  for (const RunFile& file : entry.files) {
    const fs::path path = path_of(places, file);
    std::error_code error;
    if (!fs::exists(path, error)) write_file(path.string(), file.bytes);
    fs::last_write_time(path, fs::file_time_type(fs::file_time_type::duration(file.written)));
  }
}

/// Removes the runs that were used the longest ago, until the others are small enough together.
void remove_oldest(const fs::path& folder) {
  std::vector<std::tuple<fs::file_time_type, fs::path, std::uint64_t>> runs;
  std::uint64_t sum_bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(kRunEnding) || !entry.is_regular_file()) continue;
    runs.emplace_back(entry.last_write_time(), entry.path(), entry.file_size());
    sum_bytes += std::get<2>(runs.back());
  }
  std::ranges::sort(runs);
  for (std::size_t i = 0; i < runs.size() && sum_bytes > kMostCacheBytes; ++i) {
    std::error_code ignored;
    fs::remove(std::get<1>(runs[i]), ignored);
    sum_bytes -= std::get<2>(runs[i]);
  }
}

fs::path folder_of_runs() {
  const auto cache = user_cache_folder();
  if (!cache) throw Error("--cache: there is no folder for it; set XDG_CACHE_HOME or HOME");
  return OwnFolder::make(*cache / "memviz", "runs").path();
}

} // namespace

RunCache::RunCache() : folder_(folder_of_runs()) {
}

std::optional<CachedRun> RunCache::find(const std::string& question, const RunPlaces& places) const {
  const fs::path path = folder_ / name_of(question);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    const Input input = read_input(path.string(), {.regular_only = true});
    const Entry entry = parsed(input.bytes(), places.folders.size());
    if (!std::ranges::all_of(entry.reads, is_as_it_was)) return std::nullopt;
    if (!std::ranges::all_of(entry.files,
                             [&](const RunFile& file) { return has_room(path_of(places, file), file.bytes); }))
      return std::nullopt;
    restore(entry, places);
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return entry.run;
  } catch (const std::exception&) { // damaged, or of another version
    return std::nullopt;
  }
}

void RunCache::keep(const std::string& question, const std::vector<ReadFile>& reads, const std::vector<Ending>& endings,
                    const RunPlaces& places, const std::vector<fs::path>& snapshots) const {
  try {
    std::vector<RunFile> files = files_of(places, snapshots);
    std::vector<std::string> contents;
    std::uint64_t sum_bytes = 0;
    for (RunFile& file : files) {
      sum_bytes += fs::file_size(path_of(places, file));
      if (sum_bytes > kMostRunBytes) return;
      contents.push_back(bytes_of(path_of(places, file)));
      file.written = written_at(path_of(places, file));
    }
    for (std::size_t i = 0; i < files.size(); ++i)
      files[i].bytes = contents[i];
    write_file((folder_ / name_of(question)).string(), gzipped(entry_text(reads, endings, files)));
    remove_oldest(folder_);
  } catch (const std::exception&) { // the answer does not need it
  }
}

} // namespace memviz::rehearse
