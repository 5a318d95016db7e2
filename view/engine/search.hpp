#pragma once

// A text that the user searches for -> the stacks and allocations that contain it.

#include "memviz/scrub.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::view {

class Search {
public:
  Search() = default;
  /// Searches for plain text in any case, or an expression between slashes (RE2), in "function file:line" of a frame;
  /// or for the name of an allocation, "b7f064c000000_0", or its address. Throws UsageError for a bad expression.
  Search(const std::string& text, const Recording& recording);

  [[nodiscard]] bool is_empty() const { return is_empty_; }
  [[nodiscard]] bool has(StackId stack) const { return stack.value < stacks_.size() && stacks_[stack.value]; }
  [[nodiscard]] bool has(const Scrub& scrub, std::uint32_t index) const;
  [[nodiscard]] bool has_address(std::uint64_t address) const { return address_ && *address_ == address; }
  /// Returns the allocation whose name was searched for; nullopt if the text is not a name, or there is none.
  [[nodiscard]] std::optional<std::uint32_t> named(const Scrub& scrub) const;
  /// Returns the number of different frames that contain it.
  [[nodiscard]] std::size_t frames() const { return frames_; }

private:
  bool is_empty_ = true;
  std::size_t frames_ = 0;
  std::vector<bool> stacks_;
  std::optional<std::uint64_t> address_;
  std::optional<std::uint32_t> use_;
};

} // namespace memviz::view
