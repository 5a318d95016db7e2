#include "shared_books.hpp"

#include "settings.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace memviz::rehearsal {
namespace {

// More processes than these are not seen by others.
constexpr int kMostProcesses = 512;
constexpr std::size_t kFileBytes = std::size_t{kMostDevices} * kMostProcesses * sizeof(std::uint64_t);
// Bytes of the file that are locked: one by each process while it lives, and one by the process whose turn it is. The
// kernel unlocks them when a process ends.
constexpr off_t kTurn = kMostProcesses;

} // namespace

SharedBooks::SharedBooks(std::string file, std::vector<std::uint64_t> outside_bytes)
    : file_(std::move(file)), outside_bytes_(std::move(outside_bytes)) {
  if (file_.empty()) return;
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0 || ftruncate(descriptor_, kFileBytes) != 0) return;
  void* const map = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (map != MAP_FAILED) cells_ = static_cast<std::uint64_t*>(map);
}

SharedBooks::~SharedBooks() {
  if (cells_) munmap(cells_, kFileBytes);
  if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t& SharedBooks::cell(int number, int place) const {
  return cells_[std::size_t{kMostProcesses} * static_cast<std::size_t>(number) + static_cast<std::size_t>(place)];
}

void SharedBooks::set_lock(short type, off_t at) const {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = at;
  lock.l_len = 1;
  while (fcntl(descriptor_, F_SETLKW, &lock) != 0 && errno == EINTR) {}
}

// Whether another process holds this byte.
bool SharedBooks::is_held(off_t at) const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = at;
  lock.l_len = 1;
  return fcntl(descriptor_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Takes the first place that no living process has.
bool SharedBooks::has_place() {
  if (!cells_) return false;
  if (owner_ == getpid()) return place_ >= 0;
  owner_ = getpid();
  place_ = -1;
  for (int place = 0; place < kMostProcesses && place_ < 0; ++place) {
    if (is_held(place)) continue;
    set_lock(F_WRLCK, place);
    for (int number = 0; number < kMostDevices; ++number)
      if (cell(number, place) != 0) cell(number, place) = 0;
    place_ = place;
  }
  return place_ >= 0;
}

std::uint64_t SharedBooks::other_bytes(int number) {
  const auto index = static_cast<std::size_t>(number);
  std::uint64_t bytes = index < outside_bytes_.size() ? outside_bytes_[index] : 0;
  if (!cells_) return bytes;
  const int own = owner_ == getpid() ? place_ : -1;
  for (int place = 0; place < kMostProcesses; ++place)
    if (place != own && cell(number, place) != 0 && is_held(place)) bytes += cell(number, place);
  return bytes;
}

void SharedBooks::record(int number, std::uint64_t bytes) {
  if (has_place()) cell(number, place_) = bytes;
}

SharedBooks::Turn::Turn(SharedBooks& books) : books_(books) {
  if (books_.cells_) books_.set_lock(F_WRLCK, kTurn);
}

SharedBooks::Turn::~Turn() {
  if (books_.cells_) books_.set_lock(F_UNLCK, kTurn);
}

} // namespace memviz::rehearsal
