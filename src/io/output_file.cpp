#include "io/output_file.hpp"

#include "io/system_message.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace memviz {

namespace {

[[noreturn]] void fail(int error_number) {
  if (error_number == EPIPE) throw ReaderGone("the reader of the output has closed it");
  throw Error("cannot be written: " + system_message(error_number));
}

/// Returns the folder of a path: "." for a bare name.
std::string folder_of(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  return folder.empty() ? "." : folder;
}

/// "no such file or directory" would not say which one.
void require_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(folder_of(path), error) && !error)
    throw Error("cannot be written: there is no folder '" + folder_of(path) + "'");
}

/// Returns the end of a chain of symbolic links, whether or not a file exists there.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40; // as Linux does
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const auto next = std::filesystem::read_symlink(path, error);
    if (error) return path;
    path = path.parent_path() / next;
  }
  fail(ELOOP);
}

/// In the target's own directory, so that the rename stays within one file system. Short, because the target's name may
/// already have the maximum length.
std::string temporary_name(const std::string& target, int attempt) {
  const std::string name = ".memviz-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
  return std::filesystem::path(target).replace_filename(name).string();
}

} // namespace

OutputFile::OutputFile(const std::string& path) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  target_ = follow_links(path).string();
  require_folder(target_);
  // A rename would replace a file that its owner has write-protected.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  open_temporary();
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777U));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
}

void OutputFile::open_temporary() {
  constexpr int kMostAttempts = 100;
  constexpr mode_t kMode = 0666; // less the umask
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::string name = temporary_name(target_, attempt);
    const SignalDelay until_it_is_known;
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (descriptor_ >= 0) {
      temporary_ = std::move(name);
      removal_.emplace(temporary_);
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
  fail(EEXIST);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (descriptor_ != STDOUT_FILENO && ::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  removal_.reset();
  temporary_.clear();
}

void check_output(const std::string& path) {
  struct stat status {};
  if (path == "-") return;
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    if (::access(path.c_str(), W_OK) != 0) fail(errno);
    if (!S_ISREG(status.st_mode)) return;
  }
  const std::filesystem::path target = follow_links(path);
  require_folder(target);
  if (::access((folder_of(target) + "/.").c_str(), W_OK | X_OK) != 0) fail(errno);
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

} // namespace memviz
