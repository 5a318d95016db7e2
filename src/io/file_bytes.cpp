#include "io/file_bytes.hpp"

#include "io/signals.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memviz {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18U;
constexpr std::size_t kLongestMagic = 6;

int open_for_reading(const std::string& path, bool regular_only) {
  if (path == "-" && !regular_only) return STDIN_FILENO;
  // Opening a pipe that no program writes to would block.
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK | O_NOCTTY : 0));
  if (number >= 0) return number;
  throw Error(errno == ENOENT ? "no such file" : "cannot be opened: " + system_message(errno));
}

std::size_t page_bytes() {
  constexpr std::size_t kUsual = 4096;
  const long bytes = ::sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : kUsual;
}

struct stat status_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error("cannot be read: " + system_message(errno));
  return status;
}

bool is_same_content(const struct stat& before, const struct stat& after) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

/// A mapped file, kept open to detect changes, and its name for the message if it is truncated.
class MappedFile final : public InputStorage {
public:
  /// Owns the mapping and the descriptor.
  MappedFile(void* start, const struct stat& status, int descriptor, const std::string& path)
      : start_(static_cast<char*>(start)), bytes_(static_cast<std::size_t>(status.st_size)), descriptor_(descriptor),
        status_(status), notice_(start, bytes_, path) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override {
    ::munmap(start_, bytes_);
    ::close(descriptor_);
  }

  [[nodiscard]] std::string_view bytes() const noexcept override { return {start_, bytes_}; }

  void release_before(std::size_t offset) override {
    const std::size_t end = std::min(offset, bytes_) / page_bytes() * page_bytes();
    if (end < released_bytes_) released_bytes_ = 0; // reading starts again
    if (end == released_bytes_) return;
    // Dropping the page table entries of a private mapping that was never written loses nothing.
    static_cast<void>(::madvise(start_ + released_bytes_, end - released_bytes_, MADV_DONTNEED));
    released_bytes_ = end;
  }

  [[nodiscard]] bool has_changed() const override {
    struct stat now {};
    return ::fstat(descriptor_, &now) == 0 && !is_same_content(status_, now);
  }

private:
  char* start_;
  std::size_t bytes_;
  int descriptor_;
  struct stat status_;
  std::size_t released_bytes_ = 0;
  LostMappingNotice notice_;
};

} // namespace

FileBytes::FileBytes(const std::string& path, bool regular_only)
    : path_(path), descriptor_(open_for_reading(path, regular_only)) {
  status_ = status_of(descriptor_.number);
  if (S_ISDIR(status_.st_mode)) throw Error("is a directory, not a snapshot");
  if (regular_only && !S_ISREG(status_.st_mode)) throw Error("is a pipe or a device, not a file");
  // A size of 0 means nothing on /proc, and a redirected standard input may have been read from already.
  if (S_ISREG(status_.st_mode) && status_.st_size > 0 && ::lseek(descriptor_.number, 0, SEEK_CUR) == 0)
    total_bytes_ = static_cast<std::uint64_t>(status_.st_size);
}

FileBytes::Descriptor::~Descriptor() {
  if (number != STDIN_FILENO) ::close(number);
}

std::size_t FileBytes::read(std::span<char> room) {
  for (;;) {
    const ssize_t got = ::read(descriptor_.number, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error("cannot be read" + (done_bytes_ > 0 ? " beyond byte " + std::to_string(done_bytes_) : "") + ": " +
                  system_message(errno));
    }
    done_bytes_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
}

std::string_view FileBytes::next_piece() {
  piece_.resize(kPieceBytes);
  std::size_t size = 0;
  while (size < kLongestMagic) {
    const std::size_t got = read(std::span(piece_).subspan(size));
    if (got == 0) break;
    size += got;
  }
  return {piece_.data(), size};
}

std::optional<Input> FileBytes::map() const {
  if (total_bytes_ == 0) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(total_bytes_);
  void* const start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_.number, 0);
  if (start == MAP_FAILED) return std::nullopt;
  static_cast<void>(::madvise(start, bytes, MADV_SEQUENTIAL));
  const int descriptor = ::fcntl(descriptor_.number, F_DUPFD_CLOEXEC, 0);
  return Input(std::make_unique<MappedFile>(start, status_, descriptor, path_));
}

bool is_standard_input(const std::string& path) {
  struct stat input {};
  struct stat other {};
  if (::fstat(STDIN_FILENO, &input) != 0 || ::stat(path.c_str(), &other) != 0) return false;
  return S_ISREG(input.st_mode) && input.st_dev == other.st_dev && input.st_ino == other.st_ino;
}

} // namespace memviz
