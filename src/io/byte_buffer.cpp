#include "io/byte_buffer.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace memviz {

/// The memory of a complete buffer.
class ByteBuffer::Memory final : public InputStorage {
public:
  Memory(std::unique_ptr<char, Free> memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
  [[nodiscard]] std::string_view bytes() const noexcept override { return {memory_.get(), size_}; }

private:
  std::unique_ptr<char, Free> memory_;
  std::size_t size_;
};

ByteBuffer::ByteBuffer(std::uint64_t max_bytes, std::function<void(std::string_view)> check_head)
    : max_bytes_(
          static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, std::numeric_limits<std::size_t>::max() - 1))),
      check_head_(std::move(check_head)) {
}

void ByteBuffer::limit(std::size_t bytes, std::string why) {
  if (bytes >= max_bytes_) return;
  limit_bytes_ = bytes;
  why_ = std::move(why);
}

std::span<char> ByteBuffer::room() {
  constexpr std::size_t kFirst = std::size_t{1} << 16U;
  if (size_ == capacity_) {
    check_limit();
    if (capacity_ == kFirst && check_head_) check_head_({memory_.get(), size_});
    // Grows by a quarter, not by double, because memory may be limited. The system moves large runs by renaming their
    // pages, so many small steps cost almost nothing. One byte more than the limit, so that an input of exactly the
    // limit can be read to its end.
    resize(std::min(std::max(capacity_ + capacity_ / 4, capacity_ + kFirst), limit_bytes_ + 1));
  }
  return {memory_.get() + size_, capacity_ - size_};
}

Input ByteBuffer::into_input() && {
  check_limit();
  if (size_ > 0) resize(size_);
  return Input(std::make_unique<Memory>(std::move(memory_), size_));
}

void ByteBuffer::check_limit() const {
  if (size_ > limit_bytes_) throw Error("holds more than " + format_bytes(limit_bytes_) + ", " + why_);
}

void ByteBuffer::resize(std::size_t capacity) {
  char* const resized = static_cast<char*>(std::realloc(memory_.get(), capacity));
  if (resized == nullptr) throw std::bad_alloc();
  static_cast<void>(memory_.release()); // realloc freed or kept it
  memory_.reset(resized);
  capacity_ = capacity;
}

} // namespace memviz
