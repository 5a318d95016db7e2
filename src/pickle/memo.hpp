#pragma once

// The memo of a pickle machine: numbered values that GET opcodes fetch again. Files number them 0, 1, 2, ...; other
// numbers are kept in a map, so that a large number costs no more memory than a small one.

#include "base/number_map.hpp"
#include "value/chunked_vector.hpp"
#include "value/value.hpp"

#include <cstdint>

namespace memviz::pickle {

class Memo {
public:
  void put(std::uint64_t index, Value value) {
    if (index == dense_.size()) {
      dense_.push_back(value);
      ++count_;
    } else {
      put_out_of_order(index, value);
    }
  }
  /// Adds a value with the next number: MEMOIZE numbers by the count of filled slots, as CPython does.
  void put_next(Value value) { put(count_, value); }

  [[nodiscard]] std::uint64_t size() const { return count_; }

  /// Whether the entries have the numbers from 0 to size() - 1.
  [[nodiscard]] bool is_dense() const { return count_ == dense_.size(); }
  /// Whether an entry was ever changed to another value.
  [[nodiscard]] bool was_replaced() const { return was_replaced_; }
  /// Replaces the latest entry with a stand-in; does nothing and returns false if that is not `value`.
  bool replace_latest(Value value, Value stand_in) {
    if (dense_.size() == 0 || dense_[dense_.size() - 1] != value) return false;
    dense_[dense_.size() - 1] = stand_in;
    return true;
  }

  /// Returns Kind::unset if there is no such entry.
  [[nodiscard]] Value get(std::uint64_t index) const {
    if (index < dense_.size()) return dense_[static_cast<std::size_t>(index)];
    return Value::from_bits(sparse_.find(index).value_or(Value().bits()));
  }

private:
  void put_out_of_order(std::uint64_t index, Value value);

  ChunkedVector<Value> dense_;
  NumberMap sparse_; ///< Value::bits()
  std::uint64_t count_ = 0;
  bool was_replaced_ = false;
};

} // namespace memviz::pickle
