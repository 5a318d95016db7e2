#pragma once

// Reads the arguments of opcodes from untrusted bytes: every read is checked against the remaining bytes and moves
// forward.

#include "pickle/opcode.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace memviz::pickle {

class Cursor {
public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - offset_; }
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(offset_); }

  void seek(std::size_t offset) { offset_ = offset; }
  [[nodiscard]] bool next_is(Opcode opcode) const {
    return offset_ < bytes_.size() && static_cast<std::uint8_t>(bytes_[offset_]) == static_cast<std::uint8_t>(opcode);
  }

  /// Returns the next byte, an opcode. Throws ParseError at the end.
  std::uint8_t opcode() {
    if (offset_ == bytes_.size()) fail_at_end();
    return static_cast<std::uint8_t>(bytes_[offset_++]);
  }

  /// Returns a little-endian unsigned integer. Throws ParseError if fewer bytes are left.
  template <class Unsigned> Unsigned number() {
    static_assert(std::endian::native == std::endian::little, "pickle integers are little-endian");
    if (left() < sizeof(Unsigned)) fail_short(sizeof(Unsigned));
    Unsigned value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof value);
    offset_ += sizeof value;
    return value;
  }

  /// Returns `size` bytes; `size` comes from the file.
  std::string_view take(std::uint64_t size) {
    if (left() < size) fail_short(size);
    const std::string_view taken = bytes_.substr(offset_, static_cast<std::size_t>(size));
    offset_ += static_cast<std::size_t>(size);
    return taken;
  }

  /// Returns the bytes up to the next newline, which is consumed but not returned: the arguments of protocol 0.
  std::string_view line();

private:
  [[noreturn]] void fail_at_end() const;
  [[noreturn]] void fail_short(std::uint64_t wanted) const;

  std::string_view bytes_;
  std::size_t offset_ = 0;
};

} // namespace memviz::pickle
