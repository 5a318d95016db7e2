#include "io/file_bytes.hpp"

#include "io/byte_buffer.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace memviz {

namespace {

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ != STDIN_FILENO) ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_;
};

int open_for_reading(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw Error(errno == ENOENT ? "no such file" : "cannot be opened: " + system_message(errno));
  return number;
}

/// Nothing where the file cannot be mapped, as on some network and virtual file systems: then it is read.
std::optional<Input> map(int descriptor, std::size_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (start == MAP_FAILED) return std::nullopt;
  static_cast<void>(::madvise(start, bytes, MADV_SEQUENTIAL));
  const auto unmap = [bytes](const void* memory) { ::munmap(const_cast<void*>(memory), bytes); };
  return Input(std::shared_ptr<const void>(start, unmap), {static_cast<const char*>(start), bytes});
}

Input read_to_end(int descriptor, std::size_t max_bytes) {
  ByteBuffer buffer(max_bytes);
  for (;;) {
    const auto room = buffer.room();
    const ssize_t got = ::read(descriptor, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error("cannot be read: " + system_message(errno));
    if (got == 0) return std::move(buffer).into_input();
    buffer.add(static_cast<std::size_t>(got));
  }
}

} // namespace

Input read_file_bytes(const std::string& path, std::size_t max_bytes) {
  const Descriptor descriptor(open_for_reading(path));
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) throw Error("cannot be read: " + system_message(errno));
  if (S_ISDIR(status.st_mode)) throw Error("is a directory, not a snapshot");
  // A size of 0 says nothing on /proc; and a redirected standard input may have been read from already.
  if (S_ISREG(status.st_mode) && status.st_size > 0 && ::lseek(descriptor.number(), 0, SEEK_CUR) == 0) {
    if (auto mapped = map(descriptor.number(), static_cast<std::size_t>(status.st_size))) return *std::move(mapped);
  }
  return read_to_end(descriptor.number(), max_bytes);
}

std::size_t main_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::size_t{1} << 36U;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

} // namespace memviz
