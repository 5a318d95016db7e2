#pragma once

// A pickle of protocol 4, opcode by opcode, with the numbers of the memo counted:
//   Opcodes pickle;
//   const Opcodes::Number name = pickle.text("segments");

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::test {

class Opcodes {
public:
  using Number = std::uint32_t; ///< of a memo entry

  Opcodes& raw(std::string_view opcodes) {
    bytes_ += opcodes;
    return *this;
  }
  Number memoized(std::string_view opcode) {
    bytes_ += opcode;
    bytes_ += '\x94';
    return count_++;
  }
  Number text(std::string_view value) {
    return memoized(std::string("\x8C") + static_cast<char>(value.size()) + std::string(value));
  }
  Number dict() { return memoized("}"); }
  Number list() { return memoized("]"); }
  Opcodes& get(Number number) {
    bytes_ += 'j';
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes_ += static_cast<char>(number >> shift & 0xFFU);
    return *this;
  }
  Opcodes& integer(std::uint16_t value) {
    bytes_ += {'M', static_cast<char>(value & 0xFFU), static_cast<char>(value >> 8U)};
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_ = "\x80\x04";
  Number count_ = 0;
};

} // namespace memviz::test
