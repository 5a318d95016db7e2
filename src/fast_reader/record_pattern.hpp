#pragma once

// The bytes that all records of one kind share: a dict is opened, keys are fetched from the memo, each followed by a
// small value, and the dict is closed. Files repeat this millions of times with different values.

#include "value/value.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace memviz::fast_reader {

class RecordPattern {
public:
  /// The way in which the memo gets the dict: not at all; when it is empty (Python), by MEMOIZE or BINPUT and
  /// LONG_BINPUT; or by these when it is filled (PyTorch's C++ writer).
  enum class Entry : std::uint8_t { none, memoize, put, put_after };

  explicit RecordPattern(Entry entry) : entry_(entry) {}

  /// `fetch`: the bytes of the BINGET or LONG_BINGET that fetches `key`.
  void add(Value key, std::string_view fetch) {
    Fetch column{0, 0, fetch.size()};
    std::memcpy(&column.bits, fetch.data(), fetch.size());
    std::memset(&column.mask, 0xFF, fetch.size());
    fetches_.push_back(column);
    keys_.push_back(key);
  }

  void memoize_after() { entry_ = Entry::put_after; }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] const std::vector<Value>& keys() const noexcept { return keys_; }
  [[nodiscard]] Entry memo_entry() const noexcept { return entry_; }
  /// Returns the bytes of the opcode that fetches the key of `column` if it is at `at`, where 8 bytes can be read; else
  /// 0.
  [[nodiscard]] std::size_t matches(std::size_t column, const char* at) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    const Fetch& fetch = fetches_[column];
    return (bits & fetch.mask) == fetch.bits ? fetch.bytes : 0;
  }

private:
  struct Fetch {
    std::uint64_t bits;
    std::uint64_t mask;
    std::size_t bytes;
  };
  std::vector<Fetch> fetches_;
  std::vector<Value> keys_;
  Entry entry_;
};

} // namespace memviz::fast_reader
