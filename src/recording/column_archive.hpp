#pragma once

// Numbers, texts, lists and columns <-> bytes: a writer and a reader with the same members, so that one function
// describes the members of a part for both. The reader accepts hostile bytes: no count exceeds the remaining bytes.

#include "memviz/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace memviz {

/// Maps small differences of either sign to small positive numbers, also for unsigned numbers.
[[nodiscard]] constexpr std::uint64_t folded(std::uint64_t difference) {
  return (difference << 1U) ^ (std::uint64_t{0} - (difference >> 63U));
}
[[nodiscard]] constexpr std::uint64_t unfolded(std::uint64_t value) {
  return (value >> 1U) ^ (std::uint64_t{0} - (value & 1U));
}

class ColumnWriter {
public:
  explicit ColumnWriter(std::string head) : bytes_(std::move(head)) {}

  /// Writes in groups of seven bits, the lowest first.
  template <class Number> void number(const Number& value) {
    std::uint64_t left = 0;
    if constexpr (std::is_signed_v<Number>)
      left = folded(static_cast<std::uint64_t>(value));
    else
      left = value;
    for (; left >= 0x80U; left >>= 7U)
      bytes_.push_back(static_cast<char>(left | 0x80U));
    bytes_.push_back(static_cast<char>(left));
  }
  void count(std::size_t value) { number(std::uint64_t{value}); }
  void flag(const bool& value) { bytes_.push_back(value ? '\1' : '\0'); }
  template <class Word> void word(const Word& value, Word) { bytes_.push_back(static_cast<char>(value)); }
  void text(const std::string& value) {
    count(value.size());
    bytes_ += value;
  }
  template <class Optional, class Write> void optional(const Optional& value, const Write& write) {
    flag(value.has_value());
    if (value) write(*value);
  }
  template <class List, class Write> void list(const List& items, const Write& write) {
    count(items.size());
    for (const auto& item : items)
      write(item);
  }
  /// Writes the lowest value, then, for the differences from it, the lowest bytes of all, then the next ones: as many
  /// as the highest needs and at least `least_width`. Repetition in a column thus repeats in its bytes, and equal
  /// values take none.
  void column(std::span<const std::uint64_t> values, unsigned least_width = 0) {
    const auto [least, most] = std::ranges::minmax_element(values);
    const std::uint64_t base = values.empty() ? 0 : *least;
    unsigned width = least_width;
    while (width < 8 && !values.empty() && ((*most - base) >> (8 * width)) != 0)
      ++width;
    number(base);
    count(width);
    for (unsigned i = 0; i < width; ++i)
      for (const std::uint64_t value : values)
        bytes_.push_back(static_cast<char>((value - base) >> (8 * i)));
  }

  [[nodiscard]] std::string finished() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// A column in place in the reader's bytes.
class ColumnView {
public:
  ColumnView(std::string_view bytes, std::size_t size, std::uint64_t base) : bytes_(bytes), size_(size), base_(base) {}

  [[nodiscard]] std::uint64_t operator[](std::size_t index) const {
    std::uint64_t above = 0;
    unsigned shift = 0;
    for (std::size_t at = index; at < bytes_.size(); at += size_, shift += 8)
      above |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at])} << shift;
    return base_ + above;
  }
  /// The bytes of each value.
  [[nodiscard]] std::size_t width() const { return size_ == 0 ? 0 : bytes_.size() / size_; }

private:
  std::string_view bytes_;
  std::size_t size_;
  std::uint64_t base_;
};

/// All members throw Error for bytes that a ColumnWriter does not write.
class ColumnReader {
public:
  explicit ColumnReader(std::string_view bytes) : left_(bytes) {
    check(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  }

  void check(bool holds) const {
    if (!holds)
      throw Error("the columns in this page are damaged, or from another version of memviz: write the page again from "
                  "the snapshot");
  }
  void skip(std::size_t bytes) { left_.remove_prefix(bytes); }

  template <class Number> void number(Number& value) {
    std::uint64_t all = 0;
    unsigned shift = 0;
    std::uint8_t next = 0x80;
    for (; (next & 0x80U) != 0; shift += 7) {
      next = byte();
      check(shift < 63 || (shift == 63 && next <= 1));
      all |= std::uint64_t{next & 0x7FU} << shift;
    }
    if constexpr (std::is_signed_v<Number>) {
      value = static_cast<Number>(unfolded(all));
    } else {
      check(all <= std::numeric_limits<Number>::max());
      value = static_cast<Number>(all);
    }
  }
  /// Reads the number of items that each take at least one byte.
  [[nodiscard]] std::uint32_t count() {
    std::uint32_t value = 0;
    number(value);
    check(value <= left_.size());
    return value;
  }
  void flag(bool& value) { value = byte() != 0; }
  template <class Word> void word(Word& value, Word last) {
    value = static_cast<Word>(byte());
    check(value <= last);
  }
  void text(std::string& value) {
    value = left_.substr(0, count());
    skip(value.size());
  }
  template <class Optional, class Read> void optional(Optional& value, const Read& read) {
    bool is_there = false;
    flag(is_there);
    value.reset();
    if (is_there) read(value.emplace());
  }
  template <class List, class Read> void list(List& items, const Read& read) {
    items.resize(count());
    for (auto& item : items)
      read(item);
  }
  [[nodiscard]] ColumnView column(std::size_t size) {
    std::uint64_t base = 0;
    number(base);
    const std::size_t width = count();
    check(width <= 8 && (size == 0 || width <= left_.size() / size));
    const ColumnView view(left_.substr(0, size * width), size, base);
    skip(size * width);
    return view;
  }
  void finish() const { check(left_.empty()); }

private:
  std::uint8_t byte() {
    check(!left_.empty());
    const auto first = static_cast<std::uint8_t>(left_.front());
    skip(1);
    return first;
  }

  std::string_view left_;
};

} // namespace memviz
