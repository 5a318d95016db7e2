#pragma once

// The limit of the text that memviz writes for one file: with deep stacks of long names, a few megabytes can represent
// terabytes.

#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

class TextLimit {
public:
  /// Sets the limit. The largest ratio among the real snapshots is 19 bytes of folded text per byte of the file, and 53
  /// for a log with stacks.
  TextLimit(std::uint64_t file_bytes, std::string_view advice)
      : most_bytes_((std::uint64_t{64} << 20U) + 128 * file_bytes), advice_(advice) {}

  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

  /// Throws Error, with advice, if everything added so far is too much.
  void add(std::uint64_t bytes) {
    if (bytes > most_bytes_ - bytes_) {
      throw Error("its stacks and names, written out, are more than " + format_bytes(most_bytes_) +
                  " of text, which no real snapshot of this size has: " + std::string(advice_));
    }
    bytes_ += bytes;
  }

private:
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::string_view advice_;
};

} // namespace memviz
