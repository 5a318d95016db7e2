#pragma once

// The memo of a pickle machine: numbered values that GET opcodes fetch again. Writers number them 0, 1, 2, ...; any
// other numbers are kept in a map, so that a large number costs no more memory than a small one.

#include "value/chunked_vector.hpp"
#include "value/hash.hpp"
#include "value/value.hpp"

#include <cstdint>
#include <unordered_map>

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

  /// Kind::unset where nothing was put.
  [[nodiscard]] Value get(std::uint64_t index) const {
    if (index < dense_.size()) return dense_[index];
    const auto found = sparse_.find(index);
    return found == sparse_.end() ? Value() : found->second;
  }

private:
  void put_out_of_order(std::uint64_t index, Value value);

  ChunkedVector<Value> dense_;
  std::unordered_map<std::uint64_t, Value, SecretHash> sparse_;
  std::uint64_t count_ = 0;
};

} // namespace memviz::pickle
