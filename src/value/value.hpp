#pragma once

// One Python object of plain data as 64 bits: a kind, and either the value itself or an index into its Document.

#include <cstdint>
#include <string_view>

namespace memviz {

enum class Kind : std::uint8_t {
  unset, ///< no value: an empty memo slot
  none,
  boolean,
  integer,      ///< held in the value: 60 bits, signed
  wide_integer, ///< index; the integers that need more, up to 64 bits of either sign
  real,
  text,
  bytes,
  list, ///< also sets: the reader of snapshots does not distinguish them
  tuple,
  dict,
  // Stand-ins for values that fast_reader::RecordStream took out of a document while it was built; other code never
  // sees them. They are kinds like the others, because memo, stack and rows of events hold them among other values, and
  // loops over those distinguish everything by four bits.
  record,         ///< a dict that went to the sink
  record_list,    ///< a list whose records go to the sink; its number
  digest,         ///< the sink's result for a list inside a record
  memo_reference, ///< a number of the memo that has not been looked up yet
};

[[nodiscard]] constexpr bool is_stand_in(Kind kind) {
  return kind >= Kind::record;
}

/// "a dict", "a text", ...: for "expected a dict, found a text".
[[nodiscard]] std::string_view value_name(Kind kind);

class Value {
public:
  constexpr Value() = default;
  constexpr Value(Kind kind, std::uint64_t payload) : bits_(payload << kKindBits | static_cast<std::uint64_t>(kind)) {}

  [[nodiscard]] static constexpr Value none() { return {Kind::none, 0}; }
  [[nodiscard]] static constexpr Value boolean(bool value) { return {Kind::boolean, value ? 1U : 0U}; }
  [[nodiscard]] static constexpr Value integer(std::int64_t value) {
    return {Kind::integer, static_cast<std::uint64_t>(value)};
  }
  [[nodiscard]] static constexpr bool fits_inline(std::int64_t value) {
    return value >= -(std::int64_t{1} << 59U) && value < (std::int64_t{1} << 59U);
  }

  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits_ & kKindMask); }
  /// Returns the index, or 0 and 1 for a boolean.
  [[nodiscard]] constexpr std::uint64_t payload() const { return bits_ >> kKindBits; }
  /// Returns the payload of a value in a table of the Document.
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(payload()); }
  /// Returns the number of a Kind::integer.
  [[nodiscard]] constexpr std::int64_t as_integer() const { return static_cast<std::int64_t>(bits_) >> kKindBits; }
  /// Equal bits are the same object; text and small integers with equal bits are also equal values.
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] static constexpr Value from_bits(std::uint64_t bits) {
    return {static_cast<Kind>(bits & kKindMask), bits >> kKindBits};
  }
  friend constexpr bool operator==(const Value&, const Value&) = default;

private:
  static constexpr unsigned kKindBits = 4;
  static constexpr std::uint64_t kKindMask = (1U << kKindBits) - 1;
  std::uint64_t bits_ = 0;
};

} // namespace memviz
