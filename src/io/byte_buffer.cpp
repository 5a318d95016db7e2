#include "io/byte_buffer.hpp"

#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace memviz {

std::span<char> ByteBuffer::room() {
  if (size_ == capacity_) {
    check_limit();
    constexpr std::size_t kFirst = std::size_t{1} << 16U;
    // One byte more than the limit, so that an input of exactly the limit can be read to its end.
    const std::size_t wanted = std::min(std::max(capacity_ * 2, kFirst), max_bytes_ + 1);
    char* const grown = static_cast<char*>(std::realloc(memory_.get(), wanted));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(memory_.release()); // realloc freed or kept it
    memory_.reset(grown);
    capacity_ = wanted;
  }
  return {memory_.get() + size_, capacity_ - size_};
}

Input ByteBuffer::into_input() && {
  check_limit();
  std::shared_ptr<const void> owner(std::move(memory_));
  return {owner, {static_cast<const char*>(owner.get()), size_}};
}

void ByteBuffer::check_limit() const {
  if (size_ > max_bytes_) throw Error("holds more than " + format_bytes(max_bytes_) + ", the most that is read");
}

} // namespace memviz
