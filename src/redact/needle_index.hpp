#pragma once

// Texts to look for -> which of them another text begins with; nearly always one bit says that it is none.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// Shorter texts are everywhere.
inline constexpr std::size_t kShortestNeedle = 6;
/// The longest needle; the beginning of a longer one is enough, and keeps the search linear.
inline constexpr std::size_t kLongestNeedle = 64;

class NeedleIndex {
public:
  /// `needles` are sorted, each from kShortestNeedle to kLongestNeedle bytes long.
  void assign(const std::vector<std::string>& needles);
  [[nodiscard]] bool empty() const noexcept { return needles_.empty(); }
  /// The needle that `text`, of at least kShortestNeedle bytes, begins with, or nullptr.
  [[nodiscard]] const std::string* at(std::string_view text) const;

private:
  std::vector<std::string> needles_; ///< sorted; none is the beginning of another one
  std::vector<bool> beginnings_;     ///< by hash of a needle's first bytes
};

} // namespace memviz
