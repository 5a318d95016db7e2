#pragma once

// Texts to search for -> which of them another text begins with; almost always a single bit shows that there is none.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The minimum length: shorter texts occur everywhere.
inline constexpr std::size_t kShortestNeedle = 6;
/// The maximum length; the beginning of a longer text is enough, and keeps the search linear.
inline constexpr std::size_t kLongestNeedle = 64;

class NeedleIndex {
public:
  /// `needles` are sorted, each from kShortestNeedle to kLongestNeedle bytes long.
  void assign(const std::vector<std::string>& needles);
  [[nodiscard]] bool empty() const noexcept { return needles_.empty(); }
  /// Returns the needle that `text`, of at least kShortestNeedle bytes, begins with, or nullptr.
  [[nodiscard]] const std::string* at(std::string_view text) const;

private:
  std::vector<std::string> needles_; ///< sorted; none is a prefix of another one
  std::vector<bool> beginnings_;     ///< by hash of a needle's first bytes
};

} // namespace memviz
