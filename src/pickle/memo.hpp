#pragma once

// The memo of a pickle machine: numbered values that GET opcodes fetch again. Writers number them 0, 1, 2, ...; any
// other numbers are kept in a map, so that a large number costs no more memory than a small one.

#include "base/number_map.hpp"
#include "value/chunked_vector.hpp"
#include "value/document.hpp"

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
  /// MEMOIZE numbers by the count of filled slots, as CPython does.
  void put_next(Value value) { put(count_, value); }

  [[nodiscard]] std::uint64_t size() const { return count_; }

  // For RecordStream.
  /// From now on an entry that is replaced throws ContentWasUsed.
  void keep_entries() { keeps_entries_ = true; }
  /// put_next() where all numbers up to now were used; else throws ContentWasUsed.
  void add(Value value) {
    if (count_ != dense_.size()) throw ContentWasUsed();
    dense_.push_back(value);
    ++count_;
  }
  /// Replaces the latest entry if it is `value`.
  void replace_last(Value value, Value replacement) {
    if (dense_.size() > 0 && dense_[dense_.size() - 1] == value) dense_[dense_.size() - 1] = replacement;
  }

  /// Kind::unset where nothing was put.
  [[nodiscard]] Value get(std::uint64_t index) const {
    if (index < dense_.size()) return dense_[index];
    return Value::from_bits(sparse_.find(index).value_or(Value().bits()));
  }

private:
  void put_out_of_order(std::uint64_t index, Value value);

  ChunkedVector<Value> dense_;
  NumberMap sparse_; ///< Value::bits()
  std::uint64_t count_ = 0;
  bool keeps_entries_ = false;
};

} // namespace memviz::pickle
