#include "shareable.hpp"

#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace memviz::rehearsal {
namespace {

constexpr char kMagic[8] = {'m', 'e', 'm', 'v', 'i', 'z', '-', '1'};
constexpr unsigned kCloseOnExec = 1; // MFD_CLOEXEC

struct Content {
  char magic[sizeof kMagic];
  std::uint64_t bytes;
  std::uint64_t is_multicast;
};
static_assert(sizeof(Content) <= sizeof(SharedBytes));

} // namespace

SharedBytes write_shared(const SharedMemory& memory) {
  Content content{{}, memory.bytes, memory.is_multicast};
  std::memcpy(content.magic, kMagic, sizeof kMagic);
  SharedBytes result{};
  std::memcpy(result.bytes, &content, sizeof content);
  return result;
}

std::optional<SharedMemory> read_shared(const SharedBytes& bytes) {
  Content content{};
  std::memcpy(&content, bytes.bytes, sizeof content);
  if (std::memcmp(content.magic, kMagic, sizeof kMagic) != 0) return std::nullopt;
  return SharedMemory{content.bytes, content.is_multicast != 0};
}

// memfd_create() is newer than the oldest C library that the wheel supports.
int write_shared_file(const SharedMemory& memory) {
  const auto descriptor = static_cast<int>(syscall(SYS_memfd_create, "memviz-rehearsal", kCloseOnExec));
  if (descriptor < 0) return -1;
  const SharedBytes content = write_shared(memory);
  if (write(descriptor, content.bytes, sizeof content.bytes) == static_cast<ssize_t>(sizeof content.bytes))
    return descriptor;
  close(descriptor);
  return -1;
}

std::optional<SharedMemory> read_shared_file(int descriptor) {
  SharedBytes content{};
  if (pread(descriptor, content.bytes, sizeof content.bytes, 0) != static_cast<ssize_t>(sizeof content.bytes))
    return std::nullopt;
  return read_shared(content);
}

} // namespace memviz::rehearsal
