#pragma once

// A growing run of bytes that becomes an Input without a copy. Unlike std::string it never fills its room with zeros
// first, so pages that no byte was written to cost nothing.

#include "memviz/input.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace memviz {

class ByteBuffer {
public:
  /// For at most `max_bytes`, which is less than the largest std::size_t.
  explicit ByteBuffer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Where the next bytes go: at least one byte, uninitialised. Throws Error when more than the limit
  /// was added, and std::bad_alloc.
  [[nodiscard]] std::span<char> room();
  /// Says that the first `bytes` of the room are content now.
  void add(std::size_t bytes) noexcept { size_ += bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The content. Throws Error when it is more than the limit.
  [[nodiscard]] Input into_input() &&;

private:
  void check_limit() const;

  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };

  std::size_t max_bytes_;
  std::unique_ptr<char, Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace memviz
