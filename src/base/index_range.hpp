#pragma once

// The numbers from one to another as a range, like std::views::iota, which Clang 14 cannot read in GCC 12's headers.

#include <cstddef>

namespace memviz {

/// The numbers from `first` up to `last`, which is not one of them.
struct IndexRange {
  struct Iterator {
    using difference_type = std::ptrdiff_t;
    using value_type = std::size_t;

    std::size_t index = 0;

    std::size_t operator*() const { return index; }
    Iterator& operator++() {
      ++index;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++index;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;
  };

  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] Iterator begin() const { return {first}; }
  [[nodiscard]] Iterator end() const { return {last}; }
};

/// Returns 0, 1, ..., `count` - 1.
[[nodiscard]] inline IndexRange indexes(std::size_t count) {
  return {0, count};
}

} // namespace memviz
