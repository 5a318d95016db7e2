#include "redact/paths.hpp"

#include "memviz/label.hpp"
#include "redact/file_endings.hpp"
#include "redact/public_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace memviz {
namespace {

std::string with_slashes(std::string_view filename) {
  std::string path(filename);
  std::ranges::replace(path, '\\', '/');
  return path;
}

/// Returns the rest of `path` from the last occurrence of `part`; "" if it does not occur.
std::string_view last_from(std::string_view path, std::string_view part) {
  const std::size_t at = path.rfind(part);
  return at == std::string_view::npos ? std::string_view() : path.substr(at);
}

/// "/site-packages/torch/nn/linear.py", if the package is a public one.
std::string_view public_package_path(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::string_view tail = last_from(path, folder);
    if (tail.empty()) continue;
    const std::string_view inside = tail.substr(folder.size());
    return is_public_package(inside.substr(0, inside.find('/'))) ? tail : std::string_view();
  }
  return {};
}

/// "/lib/python3.10/asyncio/events.py": Python's own library has no deeper folders.
std::string_view standard_library_path(std::string_view path) {
  constexpr std::string_view kFolder = "/lib/python3.";
  constexpr std::ptrdiff_t kMostFolders = 2;
  const std::string_view tail = last_from(path, kFolder);
  if (tail.empty() || tail.find("-packages/") != std::string_view::npos) return {};
  const std::string_view rest = tail.substr(kFolder.size());
  const std::size_t slash = rest.find('/');
  if (slash > 2 || rest.substr(0, slash).find_first_not_of("0123456789") != std::string_view::npos) return {};
  const std::string_view inside = rest.substr(slash + 1);
  return std::ranges::count(inside, '/') <= kMostFolders ? tail : std::string_view();
}

/// "/Python-3.11.1/Python/ceval.c"
std::string_view interpreter_path(std::string_view path) {
  for (const std::string_view folder : {"/Include/", "/Modules/", "/Objects/", "/Parser/", "/Python/"}) {
    const std::size_t at = path.find(folder);
    if (at == std::string_view::npos || at == 0) continue;
    const std::size_t begin = path.rfind('/', at - 1);
    if (begin == std::string_view::npos) continue;
    const std::string_view version = path.substr(begin + 1, at - begin - 1);
    if (!version.starts_with("python-3.") && !version.starts_with("Python-3.")) continue;
    if (version.substr(9).find_first_not_of("0123456789.abrc") == std::string_view::npos) return path.substr(begin);
  }
  return {};
}

/// Torch's C++ as its builds name it, and the system's headers.
std::string_view public_cpp_path(std::string_view path) {
  static constexpr std::array<std::string_view, 8> kFolders{"/aten/src/ATen/", "/torch/csrc/", "/c10/core/",
                                                            "/c10/cuda/",      "/c10/util/",   "/torch/include/",
                                                            "/usr/include/",   "/usr/lib/gcc/"};
  for (const std::string_view folder : kFolders)
    if (const std::string_view tail = last_from(path, folder); !tail.empty()) return tail;
  return interpreter_path(path);
}

/// "<frozen runpy>", "<string>", ...: Python's names for code without a file.
bool is_public_pseudo_file(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kWhole{"", "??", "<string>", "<stdin>", "<unknown>"};
  static constexpr std::array<std::string_view, 6> kFrozen{"<frozen importlib", "<frozen runpy>", "<frozen codecs>",
                                                           "<frozen abc>",      "<frozen os>",    "<frozen zipimport>"};
  constexpr std::string_view kGenerated = "<eval_with_key>";
  if (std::ranges::find(kWhole, path) != kWhole.end()) return true;
  if (path.starts_with(kGenerated))
    return path.find_first_not_of(".0123456789", kGenerated.size()) == std::string_view::npos;
  return std::ranges::any_of(kFrozen, [&](std::string_view part) { return path.starts_with(part); });
}

/// Returns the part of `path`, with '/' between its folders, that is public knowledge; "" if there is none.
std::string public_part(std::string_view path) {
  if (is_public_pseudo_file(path)) return std::string(path);
  if (path.find("/../") != std::string_view::npos) return "";
  if (origin_of(path) == CodeOrigin::cpp) return std::string(public_cpp_path(path));
  const std::string_view package = public_package_path(path);
  return std::string(package.empty() ? standard_library_path(path) : package);
}

/// Returns a name for the file that origin_of() classifies as the same kind of code.
std::string with_origin(CodeOrigin origin, const std::string& file, LeakSearch& search) {
  for (const std::string_view folder :
       {"", "/site-packages/torch/", "/site-packages/", "<frozen ", "<eval_with_key>"}) {
    if (origin_of(std::string(folder) + file) != origin) continue;
    search.keep(folder);
    return std::string(folder) + file;
  }
  return origin == CodeOrigin::user ? file + ".py" : "<" + file + ">";
}

/// Returns the pseudonym with the parts by which PyTorch's omit list recognizes the file.
std::string with_omitted_parts(std::string_view path, std::string hidden, LeakSearch& search) {
  for (const std::string_view part : omitted_files()) {
    if (path.find(part) == std::string_view::npos || hidden.find(part) != std::string_view::npos) continue;
    if (!hidden.starts_with('/')) hidden.insert(0, 1, '/');
    hidden.insert(0, part);
    search.keep(part);
    if (!part.starts_with('/')) hidden.insert(0, 1, '/');
  }
  return hidden;
}

/// Returns the part below the folders of a person or a machine: "/home/alice/project/train.py" -> "project/train.py".
std::string_view below_home(std::string_view path) {
  static constexpr std::array<std::string_view, 3> kHomes{"/home/", "/Users/", "/root/"};
  for (const std::string_view home : kHomes) {
    const std::size_t at = path.find(home);
    if (at == std::string_view::npos) continue;
    path.remove_prefix(at + home.size());
    if (home != "/root/") path.remove_prefix(std::min(path.find('/'), path.size() - 1) + 1);
    return path;
  }
  return path;
}

/// Returns "file_k3x9q2ma.py" for the file's own name. If it has folders, pseudonyms precede it: one for the whole
/// path, and one for each end of it that two checkouts of a project share: "path_../dir_../dir_../file_...py". A
/// person's folder alone, which is easily guessed, has no pseudonym.
std::string pseudonym(std::string_view path, const Hiding& hiding) {
  constexpr std::size_t kMostFolders = 3;
  const std::string_view name = file_basename(path);
  const std::string_view extension = known_extension(name);
  hiding.search.hide(name);
  hiding.search.keep(extension);
  std::string hidden = hiding.pseudonym("file_", name) + std::string(extension);
  if (name.size() == path.size()) return hidden;
  const std::string_view inside = below_home(path);
  std::size_t begin = inside.size() - std::min(inside.size(), name.size());
  for (std::size_t folders = 0; folders < kMostFolders && begin > 1; ++folders) {
    begin = inside.rfind('/', begin - 2) + 1; // 0 if there is none
    if (inside.substr(begin).starts_with('/')) break;
    hidden.insert(0, hiding.pseudonym("dir_", inside.substr(begin)) + '/');
  }
  for (std::string_view rest = path.substr(0, path.size() - name.size()); !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find('/'));
    hiding.search.hide(folder);
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return hiding.pseudonym("path_", path) + '/' + hidden;
}

} // namespace

bool is_public_file(std::string_view filename) {
  const std::string path = with_slashes(filename);
  return is_public_pseudo_file(path) || !public_part(path).empty();
}

std::string hidden_path(std::string_view filename, const Hiding& hiding) {
  std::string path = with_slashes(filename);
  if (is_public_pseudo_file(path)) {
    hiding.search.keep(path);
    return path;
  }
  const CodeOrigin origin = origin_of(path);
  hiding.search.hide(filename);
  std::string hidden = public_part(path);
  if (hidden.empty())
    hidden = pseudonym(path, hiding);
  else
    hiding.search.keep(hidden);
  if (origin_of(hidden) != origin) hidden = with_origin(origin, pseudonym(path, hiding), hiding.search);
  return with_omitted_parts(path, std::move(hidden), hiding.search);
}

std::string hidden_module(std::string_view filename, const Hiding& hiding) {
  std::string path = with_slashes(filename);
  if (is_public_file(path)) {
    hiding.search.keep(path);
    return path;
  }
  const std::string_view name = file_basename(path);
  const std::string folders = path.substr(0, path.size() - name.size());
  std::string hidden = folders + pseudonym(name, hiding);
  if (origin_of(hidden) != origin_of(path))
    hidden = with_origin(origin_of(path), pseudonym(path, hiding), hiding.search);
  hiding.search.keep(folders);
  return with_omitted_parts(path, std::move(hidden), hiding.search);
}

} // namespace memviz
