#pragma once

// A growing run of bytes that becomes an Input without a copy. Unlike std::string it does not fill new room with zeros,
// so untouched pages cost nothing.

#include "memviz/input.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

class ByteBuffer {
public:
  /// Holds at most `max_bytes`, and what a std::size_t counts. `check_head`, if given, is called with the first 64 KiB
  /// before more room is made.
  explicit ByteBuffer(std::uint64_t max_bytes, std::function<void(std::string_view)> check_head = {});

  /// Lowers the limit, if this is less than `max_bytes`; `why` ends the sentence that it holds more.
  void limit(std::size_t bytes, std::string why);
  /// Returns room for the next bytes: at least one byte, uninitialised. Throws Error if more than the limit was added,
  /// std::bad_alloc, and the exceptions of check_head.
  [[nodiscard]] std::span<char> room();
  /// Marks the first `bytes` of the room as content.
  void add(std::size_t bytes) noexcept { size_ += bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the content. Throws Error if it is more than the limit.
  [[nodiscard]] Input into_input() &&;

private:
  class Memory;

  void check_limit() const;
  void resize(std::size_t capacity);

  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };

  std::size_t max_bytes_;
  std::size_t limit_bytes_ = max_bytes_;
  std::string why_ = "the most that is read";
  std::function<void(std::string_view)> check_head_;
  std::unique_ptr<char, Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace memviz
