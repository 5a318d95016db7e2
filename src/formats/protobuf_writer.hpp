#pragma once

// Fields, one after the other -> a message in the wire format of Protocol Buffers, as far as pprof and Perfetto need
// it. A nested message is written with a separate writer and added as text. Source:
// https://protobuf.dev/programming-guides/encoding/

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

class ProtobufWriter {
public:
  /// Adds an integer. Negative numbers are given by their 64 bits.
  ProtobufWriter& number(std::uint32_t field, std::uint64_t value) {
    add_tag(field, kVarint);
    add_varint(value);
    return *this;
  }
  /// Adds a text, bytes, or the bytes of a nested message.
  ProtobufWriter& text(std::uint32_t field, std::string_view value) {
    add_tag(field, kLengthDelimited);
    add_varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufWriter& message(std::uint32_t field, const ProtobufWriter& nested) { return text(field, nested.bytes()); }
  /// Adds all integers of a repeated field at once.
  ProtobufWriter& packed(std::uint32_t field, std::span<const std::uint64_t> values) {
    ProtobufWriter list;
    for (const std::uint64_t value : values)
      list.add_varint(value);
    return text(field, list.bytes());
  }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  static constexpr std::uint32_t kVarint = 0;
  static constexpr std::uint32_t kLengthDelimited = 2;
  static constexpr unsigned kTypeBits = 3;
  static constexpr unsigned kGroupBits = 7;
  static constexpr std::uint64_t kMore = 0x80; ///< another byte follows

  void add_tag(std::uint32_t field, std::uint32_t type) { add_varint(field << kTypeBits | type); }
  void add_varint(std::uint64_t value) {
    for (; value >= kMore; value >>= kGroupBits)
      bytes_ += static_cast<char>(value | kMore);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

} // namespace memviz
