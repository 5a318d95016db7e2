#include "memviz/project_files.hpp"

#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace memviz {

namespace {

bool is_drive(std::string_view path) {
  if (path.size() < 2 || path[1] != ':') return false;
  const auto letter = static_cast<unsigned char>(path[0] | 0x20);
  return letter >= 'a' && letter <= 'z';
}

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || is_drive(path);
}

/// Returns the name with forward slashes, and the drive letter, whose case Windows ignores, in upper case.
std::string normal(std::string_view filename) {
  std::string path(filename);
  std::ranges::replace(path, '\\', '/');
  if (is_drive(path) && path[0] >= 'a') path[0] = static_cast<char>(path[0] - 'a' + 'A');
  return path;
}

/// Returns the folder with its '/': "/home/me/" of "/home/me/train.py".
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// Returns the longest common folder of both, "" if there is none.
std::string common_folder(std::string_view one, std::string_view other) {
  const auto [end, ignored] = std::ranges::mismatch(one, other);
  return std::string(folder_of(one.substr(0, static_cast<std::size_t>(end - one.begin()))));
}

/// The common folder of the absolute paths seen so far.
class CommonFolder {
public:
  void add(std::string_view path) {
    if (!is_absolute(path)) return;
    folder_ = has_one_ ? common_folder(folder_, folder_of(path)) : std::string(folder_of(path));
    has_one_ = true;
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

private:
  std::string folder_;
  bool has_one_ = false;
};

/// Returns, by StringId, whether it is the name of a frame's file.
std::vector<bool> files_of(const FrameTable& frames) {
  std::vector<bool> files(frames.string_count());
  for (std::uint32_t i = 0; i < frames.frame_count(); ++i)
    files[frames.frame({i}).filename.value] = true;
  return files;
}

bool is_users_python(std::string_view filename) {
  return !filename.starts_with('<') && origin_of(filename) == CodeOrigin::user;
}

/// Whether the line of this frame exists in a file, and the function belongs to the user.
bool is_users_cpp(const FrameTable& frames, FrameId frame) {
  constexpr std::size_t kMostUsersNameBytes = 4096; // one name may be in every frame
  return is_line(frames.frame(frame).line) && frames.name(frame).size() < kMostUsersNameBytes &&
         origin_of(frames.filename(frame)) == CodeOrigin::cpp && not_own_text(frames, frame).empty();
}

struct OwnFiles {
  std::vector<bool> files; ///< by StringId
  bool are_cpp = false;    ///< because none of them is Python
};

OwnFiles own_files(const MemoryState& state, const std::vector<bool>& files) {
  const FrameTable& frames = state.frames();
  OwnFiles own{std::vector<bool>(files.size()), true};
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    own.files[i] = files[i] && is_users_python(frames.text({i}));
    own.are_cpp = own.are_cpp && !own.files[i];
  }
  if (!own.are_cpp) return own;
  UserLineFinder finder(frames);
  std::vector<bool> is_seen(frames.stack_count());
  for (const Block& block : state.blocks) {
    if (is_seen[block.stack.value]) continue;
    is_seen[block.stack.value] = true;
    const NodeKey line = finder.line_of(block.stack);
    const auto* const frame = std::get_if<FrameId>(&line);
    if (frame != nullptr && is_users_cpp(frames, *frame)) own.files[frames.frame(*frame).filename.value] = true;
  }
  return own;
}

/// Whether it lies in a package that is installed within the project, as in a virtual environment.
bool is_installed(std::string_view path) {
  const CodeOrigin origin = origin_of("/" + std::string(path));
  return origin == CodeOrigin::library || origin == CodeOrigin::torch;
}

} // namespace

ProjectFiles::ProjectFiles(const MemoryState& state, const std::optional<std::string>& root)
    : paths_(state.frames().string_count()) {
  const FrameTable& frames = state.frames();
  const std::vector<bool> files = files_of(frames);
  const OwnFiles own = own_files(state, files);
  std::string folder = root ? normal(*root) : "";
  if (root && !folder.ends_with('/')) folder += '/';
  if (!root) {
    CommonFolder common;
    for (std::uint32_t i = 0; i < files.size(); ++i)
      if (own.files[i]) common.add(normal(frames.text({i})));
    folder = common.folder();
  }
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    if (!files[i]) continue;
    const std::string path = normal(frames.text({i}));
    const bool is_below = !folder.empty() && path.starts_with(folder);
    // Relative paths were found from the working directory; on two Windows drives there is no common folder.
    const bool is_whole = !is_absolute(path) || (!root && folder.empty());
    const std::string_view inside = std::string_view(path).substr(is_below ? folder.size() : 0);
    const bool is_users = own.files[i] || (root ? !is_installed(inside) : own.are_cpp && !is_whole);
    if (is_below ? !is_users : !(is_whole && own.files[i])) continue;
    paths_[i] = inside;
    has_any_ = has_any_ || !inside.empty();
  }
  root_ = folder.size() > 1 ? folder.substr(0, folder.size() - 1) : folder;
}

} // namespace memviz
