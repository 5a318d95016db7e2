#pragma once

// A value of a document with its place, as a chain on the stack that becomes text only for an error; and its
// conversions, which throw if it is of the wrong type.

#include "value/document.hpp"
#include "value/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memviz {

/// An error in the contents, with its container: the reader of snapshots finds its byte offset.
class SchemaError : public std::runtime_error {
public:
  SchemaError(const std::string& message, Value container) : std::runtime_error(message), container_(container) {}
  [[nodiscard]] Value container() const noexcept { return container_; }

private:
  Value container_;
};

/// None counts as an absent key.
[[nodiscard]] inline bool is_present(Value value) {
  return value.kind() != Kind::unset && value.kind() != Kind::none;
}

/// A value with its place. All throwing members throw SchemaError.
struct Field {
  Value value;
  const Field* holder = nullptr; ///< the dict or list that it is in; null: this is the root
  std::string_view key = {};
  std::optional<std::size_t> index = {};

  /// Returns a member of this dict or list, which must outlive it.
  [[nodiscard]] Field member(std::string_view its_key, Value its_value) const& { return {its_value, this, its_key}; }
  [[nodiscard]] Field item(std::size_t its_index, Value its_value) const& { return {its_value, this, "", its_index}; }
  [[nodiscard]] Field member(std::string_view its_key, Value its_value) const&& = delete;
  [[nodiscard]] Field item(std::size_t its_index, Value its_value) const&& = delete;

  [[nodiscard]] bool is_present() const { return memviz::is_present(value); }
  /// "segments[3].blocks[1].size"
  [[nodiscard]] std::string path() const;

  /// Throws unless the value is of `kind`.
  void require(Kind kind) const { require(kind, named()); }
  /// Throws the same, with an error that names the byte of `container`.
  void require(Kind kind, Value container) const {
    if (value.kind() != kind) fail(value_name(kind), value_name(value.kind()), container);
  }
  /// Returns a size or a count: an int from 0 to 2^64 - 1.
  [[nodiscard]] std::uint64_t size(const Document& document) const {
    return is_small_size() ? static_cast<std::uint64_t>(value.as_integer()) : rare_size(document);
  }
  /// Returns an address or a stream: any int of 64 bits; PyTorch's C++ writer casts to signed.
  [[nodiscard]] std::uint64_t bits(const Document& document) const {
    return is_small_size() ? static_cast<std::uint64_t>(value.as_integer()) : rare_bits(document);
  }
  [[nodiscard]] std::string_view text(const Document& document) const;

  /// Throws "expected WHAT for PATH, found FOUND".
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const { fail(expected, found, named()); }
  [[noreturn]] void fail(std::string_view expected, std::string_view found, Value container) const;

private:
  /// Returns the value whose byte an error names.
  [[nodiscard]] Value named() const { return holder == nullptr ? value : holder->value; }
  // Almost all numbers are like this, and a trace has several per event: avoids a std::optional.
  [[nodiscard]] bool is_small_size() const { return value.kind() == Kind::integer && value.as_integer() >= 0; }
  [[nodiscard]] std::uint64_t rare_size(const Document& document) const;
  [[nodiscard]] std::uint64_t rare_bits(const Document& document) const;
};

} // namespace memviz
