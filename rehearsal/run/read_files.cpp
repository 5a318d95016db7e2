#include "run/read_files.hpp"

#include "base/parts.hpp"
#include "base/sha256.hpp"
#include "io/file_bytes.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostRecordBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

/// Whether Python finds something to import, or a package's name and version, by this entry of a folder.
bool is_module(const fs::directory_entry& entry) {
  constexpr std::array kEndings{".py", ".so", ".pth", ".egg-link", ".dist-info", ".egg-info"};
  const std::string name = entry.path().filename().string();
  if (std::ranges::any_of(kEndings, [&](const char* ending) { return name.ends_with(ending); })) return true;
  std::error_code ignored;
  return fs::exists(entry.path() / "__init__.py", ignored);
}

/// Returns a hash of the names in a folder; of those of Python's modules if `only_modules`.
std::vector<std::uint64_t> names_in(const std::string& folder, bool only_modules) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!only_modules || is_module(*entry)) names.insert(entry->path().filename().string());
  if (error) return {};
  std::string text;
  for (const std::string& name : names)
    text += name + '\0';
  std::vector<std::uint64_t> hash(4);
  const auto bytes = sha256(text);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    hash[i / 8] = hash[i / 8] << 8U | bytes[i];
  return hash;
}

/// Returns it as it is now; nullopt if it is not of its kind.
std::optional<ReadFile> now(char kind, const std::string& path) {
  if (kind == 'd' || kind == 'i') return ReadFile{kind, path, names_in(path, kind == 'i')};
  const auto status = status_of(path);
  if (kind == 'a') return status ? std::nullopt : std::optional(ReadFile{kind, path});
  if (!status) return std::nullopt;
  if (kind == 'e' || !S_ISREG(status->st_mode)) return ReadFile{'e', path};
  return ReadFile{'r',
                  path,
                  {static_cast<std::uint64_t>(status->st_size), nanoseconds(status->st_mtim),
                   nanoseconds(status->st_ctim), static_cast<std::uint64_t>(status->st_ino)}};
}

/// Returns the source of a compiled Python module, by which Python knows whether that is up to date; else the path.
std::string source_of(std::string path) {
  constexpr std::string_view kFolder = "/__pycache__/";
  const std::size_t folder = path.rfind(kFolder);
  if (folder == std::string::npos || path.find(".pyc", folder) == std::string::npos) return path;
  const std::size_t name = folder + kFolder.size();
  const std::string source = path.substr(0, folder + 1) + path.substr(name, path.find('.', name) - name) + ".py";
  std::error_code ignored;
  return fs::exists(source, ignored) ? source : path;
}

std::string records_in(const fs::path& path) try {
  FileBytes file(path.string(), true);
  const auto input = file.total_bytes() <= kMostRecordBytes ? file.map() : std::nullopt;
  return input ? std::string(input->bytes()) : "";
} catch (const Error&) {
  return "";
}

/// The records of a run in their order -> what it depends on.
class Records {
public:
  Records(std::uint64_t begin_ns, const std::vector<fs::path>& own) : begin_ns_(begin_ns) {
    // The system's view of processes and devices is another one each time.
    own_ = {"/proc/", "/sys/", "/dev/"};
    for (const fs::path& folder : own)
      own_.push_back(fs::absolute(folder).lexically_normal().string() + '/');
  }

  void add(char kind, const std::string& text) {
    if (kind == 'n') connects_ = true;
    if (kind == 'p') has_program_ = true;
    if (kind == 'n' || kind == 'p') return;
    if (std::ranges::any_of(own_, [&](const std::string& folder) { return (text + '/').starts_with(folder); })) return;
    if (kind == 'w') {
      written_.insert(text);
      return;
    }
    const std::string path = source_of(text);
    const bool is_uncompiled = kind == 'a' && path != text; // Python reads its source, then
    if (!is_uncompiled && !written_.contains(path)) first_.try_emplace({path, kind});
  }

  [[nodiscard]] ReadFiles result() const {
    if (!has_program_) return {{}, "the program is not dynamically linked, so what it reads is not seen"};
    if (connects_) return {{}, "the program connects to another machine"};
    ReadFiles result;
    for (const auto& [place, ignored] : first_) {
      const auto& [path, kind] = place;
      if (kind == 'a') {
        result.files.push_back({kind, path});
        continue;
      }
      const bool is_written = written_.contains(path);
      if (kind == 'r' && is_written) return {{}, fmt::format("the program changes {}, which it has read", path)};
      const auto file = now(kind == 'f' || is_written ? 'e' : kind == 's' ? 'r' : kind, path);
      if (!file) return {{}, fmt::format("{}, which the program has read, is gone", path)};
      if (file->kind == 'r' && std::max(file->state[1], file->state[2]) >= begin_ns_)
        return {{}, fmt::format("{} changed while the program ran", path)};
      result.files.push_back(*file);
    }
    return result;
  }

private:
  struct None {};

  std::uint64_t begin_ns_;
  std::vector<std::string> own_; ///< folders of which nothing counts
  bool connects_ = false;
  bool has_program_ = false;
  std::set<std::string> written_ = {};
  std::map<std::pair<std::string, char>, None> first_ = {}; ///< what was not written before
};

} // namespace

std::uint64_t file_clock_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return nanoseconds(time);
}

ReadFiles read_files(const fs::path& records, std::uint64_t begin_ns, const std::vector<fs::path>& own) {
  Records all(begin_ns, own);
  const std::string content = records_in(records);
  for (const std::string_view record : parts_of(content, '\0'))
    if (record.size() > 1) all.add(record.front(), std::string(record.substr(1)));
  return all.result();
}

bool is_as_it_was(const ReadFile& file) {
  return now(file.kind, file.path) == file;
}

} // namespace memviz::rehearse
