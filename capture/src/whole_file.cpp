#include "whole_file.hpp"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz::capture {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  const std::string reason = error == 0 ? "write error" : std::generic_category().message(error);
  throw std::runtime_error("cannot write snapshot " + path.string() + ": " + reason);
}

/// Returns errno's value at the first failure, or nothing.
std::optional<int> try_write(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) return errno;
  write(out);
  const int error = errno;
  if (!out) return error;
  out.close();
  if (!out) return errno;
  return std::nullopt;
}

/// Distinct among the processes and threads of this machine that write the same path.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1));
  return temporary;
}

/// Returns the file that `path` leads to, which need not exist; for a cycle of links, one of them.
std::filesystem::path end_of_links(std::filesystem::path path) {
  std::error_code ignored;
  for (int followed = 0; followed < 40 && std::filesystem::is_symlink(path, ignored); ++followed) {
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  }
  return path;
}

/// Removes a file unless it was kept, even if the writer throws.
class Temporary {
public:
  explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void keep() { path_.clear(); }

private:
  std::filesystem::path path_;
};

} // namespace

void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  // A device or a pipe is written to; renaming would replace it with a file.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const auto error = try_write(path, write)) fail(path, *error);
    return;
  }
  const fs::path target = end_of_links(path);
  Temporary temporary(temporary_beside(target));
  if (const auto error = try_write(temporary.path(), write)) fail(path, *error);
  std::error_code renamed;
  fs::rename(temporary.path(), target, renamed);
  if (renamed) fail(path, renamed.value());
  temporary.keep();
}

} // namespace memviz::capture
