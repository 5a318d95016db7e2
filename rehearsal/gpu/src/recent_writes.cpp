#include "recent_writes.hpp"

#include <algorithm>
#include <cstring>

namespace memviz::rehearsal {
namespace {

constexpr std::size_t kLargestWriteBytes = 64 << 10;
constexpr std::size_t kMostKeptBytes = 4 << 20;

} // namespace

void RecentWrites::write(std::uint64_t address, const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(data);
  if (bytes > kLargestWriteBytes) return forget(address, bytes);
  keep(address, std::vector<unsigned char>(begin, begin + bytes));
}

void RecentWrites::fill(std::uint64_t address, unsigned char value, std::size_t bytes) {
  if (bytes > kLargestWriteBytes || value == 0) return forget(address, bytes);
  keep(address, std::vector<unsigned char>(bytes, value));
}

void RecentWrites::copy(std::uint64_t destination, std::uint64_t source, std::size_t bytes) {
  if (bytes > kLargestWriteBytes) return forget(destination, bytes);
  if (writes_.empty()) return;
  std::vector<unsigned char> data(bytes);
  read(source, data.data(), bytes);
  keep(destination, std::move(data));
}

void RecentWrites::read(std::uint64_t address, void* out, std::size_t bytes) const {
  auto* const to = static_cast<unsigned char*>(out);
  std::memset(to, 0, bytes);
  auto write = writes_.upper_bound(address);
  if (write != writes_.begin()) --write;
  for (; write != writes_.end() && write->first < address + bytes; ++write) {
    const std::uint64_t begin = std::max(address, write->first);
    const std::uint64_t end = std::min(address + bytes, write->first + write->second.size());
    if (begin < end) std::memcpy(to + (begin - address), write->second.data() + (begin - write->first), end - begin);
  }
}

void RecentWrites::forget(std::uint64_t address, std::size_t bytes) {
  if (writes_.empty() || bytes == 0) return;
  auto write = writes_.upper_bound(address);
  if (write != writes_.begin()) --write;
  while (write != writes_.end() && write->first < address + bytes) {
    const std::uint64_t begin = write->first;
    if (begin + write->second.size() <= address) {
      ++write;
      continue;
    }
    std::vector<unsigned char> data = std::move(write->second);
    write = writes_.erase(write);
    kept_bytes_ -= data.size();
    const std::uint64_t end = begin + data.size();
    if (begin < address) {
      std::vector<unsigned char> head(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(address - begin));
      kept_bytes_ += head.size();
      writes_.emplace(begin, std::move(head));
    }
    if (end > address + bytes) {
      std::vector<unsigned char> tail(data.end() - static_cast<std::ptrdiff_t>(end - address - bytes), data.end());
      kept_bytes_ += tail.size();
      writes_.emplace(address + bytes, std::move(tail));
      return;
    }
  }
}

void RecentWrites::forget_all() {
  writes_.clear();
  kept_bytes_ = 0;
}

void RecentWrites::keep(std::uint64_t address, std::vector<unsigned char> data) {
  forget(address, data.size());
  if (data.empty() || kept_bytes_ + data.size() > kMostKeptBytes) return;
  kept_bytes_ += data.size();
  writes_.emplace(address, std::move(data));
}

} // namespace memviz::rehearsal
