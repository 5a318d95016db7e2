#include "memviz/source_lines.hpp"

#include "base/affixes.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "io/source_folder.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <string_view>

namespace memviz {

namespace {

constexpr std::size_t kMostFiles = 4096;
constexpr std::size_t kMostFileBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostPathBytes = 4096;
constexpr std::size_t kMostFolders = 64; ///< of a path
constexpr std::size_t kLineColumns = 120;
constexpr std::size_t kNamedFiles = 3; ///< in a remark

/// The endings of files that may be opened: an untrusted path may name any file in the folder, such as one with
/// passwords.
bool is_source_name(std::string_view filename) {
  static constexpr std::array<std::string_view, 12> kEndings{".py", ".pyx", ".c",   ".cc", ".cpp", ".cxx",
                                                             ".cu", ".cuh", ".hpp", ".h",  ".hxx", ".inl"};
  return filename.size() <= kMostPathBytes && ends_with_any(filename, kEndings);
}

/// A file of a program, an archive or a key may have such an ending, too, but its bytes give it away.
bool is_text(std::string_view source) {
  return source.find('\0') == std::string_view::npos;
}

/// Returns the path with '/' and without a leading "./".
std::string with_slashes(std::string_view filename) {
  std::string path(filename);
  if (path.find('/') == std::string::npos) std::ranges::replace(path, '\\', '/');
  while (path.starts_with("./"))
    path.erase(0, 2);
  return path;
}

/// Returns where the end of the path to compare may begin: after each '/', but within an installed package only before
/// the package, because its files share their names with many others.
std::vector<std::size_t> endings_of(std::string_view path) {
  constexpr std::string_view kPackages = "-packages/";
  const std::size_t packages = path.rfind(kPackages);
  const std::size_t last = packages == std::string_view::npos ? path.size() : packages + kPackages.size();
  std::vector<std::size_t> starts;
  for (std::size_t start = path.starts_with('/') ? 1 : 0; start <= last && starts.size() < kMostFolders;) {
    starts.push_back(start);
    const std::size_t slash = path.find('/', start);
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  return starts;
}

/// Returns the text of each wanted line, cleaned.
void find_texts(std::string_view source, std::map<std::int64_t, std::string>& wanted) {
  constexpr std::size_t kMostLineBytes = 4 * kLineColumns;
  constexpr std::string_view kBlanks = " \t\r\f\v";
  std::int64_t line = 1;
  std::size_t start = 0;
  for (auto& [number, text] : wanted) {
    for (; line < number && start < source.size(); ++line)
      start = std::min(source.find('\n', start), source.size() - 1) + 1;
    if (line != number || start >= source.size()) continue;
    std::string_view found = source.substr(start, source.find('\n', start) - start);
    found.remove_prefix(std::min(found.find_first_not_of(kBlanks), found.size()));
    found = whole_characters(found.substr(0, kMostLineBytes));
    text = elided(found.substr(0, found.find_last_not_of(kBlanks) + 1), kLineColumns);
  }
}

std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedFiles); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamedFiles) text += fmt::format(" and {} more", format_count(names.size() - kNamedFiles));
  return text;
}

} // namespace

struct SourceLines::Parts {
  /// A file that frames name.
  struct Wish {
    std::string path;                          ///< including '/'
    std::map<std::int64_t, std::string> texts; ///< by line; "" until it is found
    bool is_found = false;
  };
  struct Folder {
    std::string name; ///< as given
    SourceFolder files;
  };
  using Wishes = std::map<std::string, Wish, std::less<>>; ///< by filename of frames

  void collect(const FrameTable& frames);
  void read_from(const Folder& folder);
  [[nodiscard]] std::optional<std::string> beginning(const Folder& folder);
  void read_file(const SourceFolder& files, std::string_view path, Wish& wish);
  void add_remarks();
  void limit_to(std::int64_t first_us);

  std::vector<Folder> folders;
  std::optional<std::int64_t> written; ///< in nanoseconds since 1970, or the first event, if that was earlier
  bool is_first_event = false;
  Wishes wishes;
  bool is_read = false;
  std::size_t read_bytes = 0;
  std::vector<std::string> newer;
  std::vector<std::string> remarks;
};

/// Source files must be older than the first event, too: Python had loaded them by then. Recordings of old PyTorch, and
/// made-up ones, may have other times than those since 1970.
void SourceLines::Parts::limit_to(std::int64_t first_us) {
  constexpr std::int64_t kYear2015Us = std::int64_t{45} * 365 * 24 * 3600 * 1'000'000;
  constexpr std::int64_t kMostUs = std::numeric_limits<std::int64_t>::max() / 1000;
  if (first_us < kYear2015Us || first_us > kMostUs || (written && *written <= first_us * 1000)) return;
  written = first_us * 1000;
  is_first_event = true;
}

void SourceLines::Parts::collect(const FrameTable& frames) {
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i) {
    const std::string_view filename = frames.filename({i});
    const std::int64_t line = frames.frame({i}).line;
    if (!is_line(line) || line < 0 || !is_source_name(filename)) continue;
    auto wish = wishes.find(filename);
    if (wish == wishes.end()) {
      if (wishes.size() == kMostFiles) continue;
      wish = wishes.emplace(filename, Wish{with_slashes(filename), {}}).first;
    }
    wish->second.texts.try_emplace(line);
  }
}

/// Returns the beginning of the paths of the folder's files: the folder's own path, if any file has it, else the
/// beginning that most of those have that end in the folder; nullopt if there is none, or two.
std::optional<std::string> SourceLines::Parts::beginning(const Folder& folder) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [filename, wish] : wishes) {
    for (const std::string& own : folder.files.paths())
      if (wish.path.starts_with(own + '/') && folder.files.has(std::string_view(wish.path).substr(own.size() + 1)))
        return own + '/';
    for (const std::size_t start : endings_of(wish.path))
      if (folder.files.has(std::string_view(wish.path).substr(start))) ++counts[wish.path.substr(0, start)];
  }
  if (counts.empty()) return std::nullopt;
  const auto by_count = [](const auto& one, const auto& other) { return one.second < other.second; };
  const auto most = std::ranges::max_element(counts, by_count);
  for (const auto& [path, count] : counts) {
    if (path == most->first || count < most->second) continue;
    remarks.push_back(fmt::format("--source {}: it is unknown whether its files are those of {} or of {} in the "
                                  "snapshot, so none of their lines is shown; name the folder above it",
                                  folder.name, most->first.empty() ? "./" : most->first, path));
    return std::nullopt;
  }
  return most->first;
}

void SourceLines::Parts::read_file(const SourceFolder& files, std::string_view path, Wish& wish) {
  const std::optional<SourceFile> file = files.read(path, std::min(kMostFileBytes, kMostBytes - read_bytes));
  if (!file || !is_text(file->text)) return;
  wish.is_found = true;
  read_bytes += file->text.size();
  if (file->modified_ns > written.value_or(0))
    newer.push_back(elided(path, kLineColumns));
  else
    find_texts(file->text, wish.texts);
}

void SourceLines::Parts::read_from(const Folder& folder) {
  const std::optional<std::string> start = beginning(folder);
  if (!start) return;
  for (auto& [filename, wish] : wishes)
    if (!wish.is_found && wish.path.starts_with(*start))
      read_file(folder.files, std::string_view(wish.path).substr(start->size()), wish);
}

void SourceLines::Parts::add_remarks() {
  const auto is_found = [](const auto& wish) { return wish.second.is_found; };
  if (remarks.empty() && std::ranges::none_of(wishes, is_found))
    remarks.emplace_back("--source: no source file of the snapshot is in the folder");
  if (newer.empty()) return;
  remarks.push_back(fmt::format("{} {}, so {} lines are not shown", named(newer),
                                is_first_event ? "changed after the first event of the snapshot"
                                : written      ? "changed after the snapshot was written"
                                               : "may have changed since, because the snapshot is not a file",
                                newer.size() == 1 ? "its" : "their"));
}

SourceLines::SourceLines(const std::vector<std::string>& folders, std::optional<std::int64_t> written_ns)
    : parts_(std::make_unique<Parts>()) {
  parts_->written = written_ns;
  for (const std::string& folder : folders) {
    try {
      parts_->folders.push_back({folder, SourceFolder(folder)});
    } catch (const Error& error) {
      throw UsageError(fmt::format("--source {}: {}", folder, error.what()));
    }
  }
}

SourceLines::~SourceLines() = default;

void SourceLines::add_to(FrameTable& frames, std::optional<std::int64_t> first_us) {
  if (!parts_->is_read) {
    parts_->is_read = true;
    if (first_us) parts_->limit_to(*first_us);
    parts_->collect(frames);
    for (const Parts::Folder& folder : parts_->folders)
      parts_->read_from(folder);
    parts_->add_remarks();
  }
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i) {
    const auto wish = parts_->wishes.find(frames.filename({i}));
    if (wish == parts_->wishes.end() || !wish->second.is_found) continue;
    const auto text = wish->second.texts.find(frames.frame({i}).line);
    if (text != wish->second.texts.end() && !text->second.empty()) frames.set_source({i}, text->second);
  }
}

const std::vector<std::string>& SourceLines::remarks() const noexcept {
  return parts_->remarks;
}

std::optional<std::int64_t> written_ns(const std::string& snapshot) {
  return modified_ns(snapshot);
}

} // namespace memviz
