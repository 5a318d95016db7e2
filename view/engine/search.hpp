#pragma once

// A text that the user searches for -> whether a stack, an address, or a text of an event contains it.

#include "memviz/scrub.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz::view {

/// Hexadecimal digits -> the addresses that begin with them, or that are in an allocation.
struct WantedAddress {
  std::uint64_t digits = 0;
  unsigned count = 0; ///< of digits
  /// Whether the digits of an address begin with these.
  [[nodiscard]] bool begins(std::uint64_t address) const;
};

/// The allocation in a name: "b7f064c000000_0".
struct WantedName {
  std::uint64_t address = 0;
  std::uint32_t earlier_uses = 0;
};

class Search {
public:
  Search();
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  /// Searches for plain text in any case, or an expression between slashes (RE2), in "function file:line" of a frame
  /// and in texts: metadata and annotations. The name of an allocation, "b7f064c000000_0", finds only that; hexadecimal
  /// digits, with or without 0x or b, also find addresses that begin with them. Throws UsageError for a bad
  /// expression. `recording` must outlive this object.
  Search(const std::string& text, const Recording& recording);

  [[nodiscard]] bool is_empty() const { return recording_ == nullptr; }
  [[nodiscard]] bool has(StackId stack) const { return stack.value < stacks_.size() && stacks_[stack.value]; }
  /// Whether a text of the recording contains it. Each text is searched once.
  [[nodiscard]] bool has(StringId text) const;
  /// Whether an event has it in a stack, an address or a text; always false for the name of an allocation.
  [[nodiscard]] bool has(const EventTable& events, std::uint32_t event) const;
  /// Whether an address begins with the digits; for a name, whether it is the address in it.
  [[nodiscard]] bool has_address(std::uint64_t address) const;
  /// Whether the memory from `address` on contains the address that was searched for.
  [[nodiscard]] bool is_within(std::uint64_t address, std::uint64_t size_bytes) const;
  [[nodiscard]] const std::optional<WantedName>& name() const { return name_; }
  /// Returns the allocation whose name was searched for; nullopt if the text is not a name, or there is none.
  [[nodiscard]] std::optional<std::uint32_t> named(const Scrub& scrub) const;
  /// Returns the number of different frames that contain it.
  [[nodiscard]] std::size_t frames() const { return frames_; }

private:
  struct Pattern;
  void search_stacks();

  const Recording* recording_ = nullptr;
  std::unique_ptr<Pattern> pattern_;
  std::size_t frames_ = 0;
  std::vector<bool> stacks_;
  mutable std::vector<std::uint8_t> texts_; ///< by StringId: not searched yet, without it, with it
  std::vector<WantedAddress> addresses_;
  std::optional<WantedName> name_;
};

} // namespace memviz::view
