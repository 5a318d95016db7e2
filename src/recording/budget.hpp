#pragma once

// A bound on the expansion of a file: its bytes pay for it. A pickle may refer to one list of blocks a million times in
// a byte or two each; genuine files contain every segment, block, event and annotation once, in far more bytes than
// required here.

#include "value/field.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace memviz {

class Budget {
public:
  explicit Budget(std::uint64_t file_bytes) : left_(file_bytes + kFreeBytes) {}

  /// Throws SchemaError if the file is too small for `count` more segments, blocks, events, annotations or settings in
  /// `field`; each count must also fit in 32 bits.
  void spend(std::uint64_t count, const Field& field) {
    if (count > records_left_ || count > left_ / kRecordBytes) field.fail(kExpected, found(count), field.value);
    records_left_ -= count;
    left_ -= count * kRecordBytes;
  }
  /// Charges for `count` numbers of columns, each of which has at least a byte.
  void spend_numbers(std::uint64_t count, const Field& column) {
    if (count > left_) column.fail(kExpected, found(count), column.value);
    left_ -= count;
  }
  /// Charges for looking at `count` keys of a dict whose keys are unknown.
  void spend_keys(std::uint64_t count, const Field& dict) {
    if (count > left_ / kKeyBytes) dict.fail(kExpected, found(count), dict.value);
    left_ -= count * kKeyBytes;
  }

private:
  // The minimum bytes of an entry in a pickle, rounded down: a block of two keys has 11 bytes, a key and its value have
  // 2.
  static constexpr std::uint64_t kRecordBytes = 8;
  static constexpr std::uint64_t kKeyBytes = 2;
  /// An allowance for small unusual files: 2,048 records.
  static constexpr std::uint64_t kFreeBytes = 16384;

  static constexpr std::string_view kExpected = "records that the file holds once each";
  [[nodiscard]] static std::string found(std::uint64_t count) {
    return std::to_string(count) + " more than its bytes have room for";
  }

  std::uint64_t left_;
  std::uint64_t records_left_ = std::numeric_limits<std::uint32_t>::max();
};

} // namespace memviz
