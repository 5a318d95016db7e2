#pragma once

// A key and its value as the bytes that they had in an earlier record, so that they are recognised and read by
// comparison instead of opcode by opcode: records repeat the opcodes of the previous one, with other numbers.

#include "value/value.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memviz::fast_reader {

class RecordForm {
public:
  /// The number of bytes that matches() and value() look at.
  static constexpr std::size_t kLookAhead = 16;
  static constexpr std::size_t kMostHeadBytes = 8;
  static constexpr std::size_t kMostNumberBytes = 7;

  /// Constructs a form that matches nothing.
  RecordForm() = default;

  /// Matches the `head_bytes` at `at`, followed by any little-endian number of `number_bytes`.
  [[nodiscard]] static RecordForm of_number(const char* at, std::size_t head_bytes, std::size_t number_bytes,
                                            bool is_signed, Kind kind) {
    RecordForm form = of_bytes(at, head_bytes);
    const std::size_t bits = 8 * number_bytes;
    form.number_mask_ = (std::uint64_t{1} << bits) - 1;
    form.sign_ = is_signed ? std::uint64_t{1} << (bits - 1) : 0;
    form.cell_ = Value(kind, 0);
    form.head_bytes_ = static_cast<std::uint32_t>(head_bytes);
    form.bytes_ = static_cast<std::uint32_t>(head_bytes + number_bytes);
    return form;
  }

  /// Matches the `bytes` at `at`, at most kLookAhead, whose value is `cell`.
  [[nodiscard]] static RecordForm of_constant(const char* at, std::size_t bytes, Value cell) {
    RecordForm form = of_bytes(at, bytes);
    form.cell_ = cell;
    form.bytes_ = static_cast<std::uint32_t>(bytes);
    return form;
  }

  [[nodiscard]] bool matches(const char* at) const {
    return (word_at(at) & first_mask_) == first_ && (word_at(at + 8) & second_mask_) == second_;
  }
  /// Returns the value of bytes that match.
  [[nodiscard]] Value value(const char* at) const {
    const std::uint64_t number = ((word_at(at + head_bytes_) & number_mask_) ^ sign_) - sign_;
    return Value::from_bits(cell_.bits() + Value(Kind::unset, number).bits());
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  [[nodiscard]] static std::uint64_t word_at(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  /// Returns a mask of the lowest `bytes` of a word.
  [[nodiscard]] static std::uint64_t mask_of(std::size_t bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  }
  [[nodiscard]] static RecordForm of_bytes(const char* at, std::size_t bytes) {
    RecordForm form;
    form.first_mask_ = mask_of(bytes);
    form.second_mask_ = bytes > 8 ? mask_of(bytes - 8) : 0;
    form.first_ = word_at(at) & form.first_mask_;
    form.second_ = word_at(at + 8) & form.second_mask_;
    return form;
  }

  std::uint64_t first_ = 1; ///< which an empty mask never yields
  std::uint64_t first_mask_ = 0;
  std::uint64_t second_ = 0;
  std::uint64_t second_mask_ = 0;
  std::uint64_t number_mask_ = 0;
  std::uint64_t sign_ = 0; ///< its bit in the number
  Value cell_;             ///< to which the number is added
  std::uint32_t head_bytes_ = 0;
  std::uint32_t bytes_ = 0;
};

} // namespace memviz::fast_reader
