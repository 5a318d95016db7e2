#pragma once

// Typed access to the dicts of a snapshot. The columns of a shape are looked up once, not once a dict.

#include "base/hash_map.hpp"
#include "snapshot/where.hpp"
#include "value/document.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memviz {

/// None counts as a key that is absent.
[[nodiscard]] inline bool is_present(Value value) {
  return value.kind() != Kind::unset && value.kind() != Kind::none;
}

/// Reads the same N keys from many dicts; a key that a dict lacks reads as Kind::unset. The document may grow
/// meanwhile.
template <std::size_t N> class FieldReader {
public:
  using Row = std::array<Value, N>;
  /// By key: its place in a dict's keys, or -1.
  using Columns = std::array<int, N>;

  FieldReader(const Document& document, const std::array<std::string_view, N>& names)
      : document_(&document), names_(names) {}

  [[nodiscard]] Row read(Value dict) {
    Row row;
    const DictView view = document_->dict(dict);
    if (view.shape == nullptr) {
      for (std::size_t i = 0; i < N; ++i)
        row[i] = document_->get(dict, names_[i]);
      return row;
    }
    if (view.shape != shape_) {
      shape_ = view.shape;
      const auto [known, is_new] = columns_.add(shape_);
      if (is_new) known = columns_of(shape_->keys());
      latest_ = known;
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (latest_[i] >= 0) row[i] = view.shape->at(view.row, static_cast<std::size_t>(latest_[i]));
    }
    return row;
  }

  /// Of a repeated key the last one counts, as in Python.
  [[nodiscard]] Columns columns_of(std::span<const Value> keys) const {
    Columns columns;
    for (std::size_t i = 0; i < N; ++i) {
      const auto found = std::find(keys.rbegin(), keys.rend(), document_->find_text(names_[i]));
      columns[i] = found == keys.rend() ? -1 : static_cast<int>(keys.rend() - found) - 1;
    }
    return columns;
  }

private:
  const Document* document_;
  std::array<std::string_view, N> names_;
  const Shape* shape_ = nullptr;
  Columns latest_{};
  HashMap<const Shape*, Columns> columns_;
};

/// Converts single values, and says where they stand if they are of the wrong type.
class FieldChecker {
public:
  explicit FieldChecker(const Document& document) : document_(&document) {}

  /// Throws SchemaError unless `value` is of `kind`; `container` is what holds it.
  void require(Value value, Kind kind, const Where& where, Value container) const {
    if (value.kind() != kind) fail_at(where, container, kind_name(kind), kind_name(value.kind()));
  }
  /// A size or a count: an int from 0 to 2^64 - 1.
  [[nodiscard]] std::uint64_t size(Value value, const Where& where, Value container) const {
    if (is_small_size(value)) return static_cast<std::uint64_t>(value.as_integer());
    return rare_size(value, where, container);
  }
  /// An address or a stream: any int of 64 bits; PyTorch's C++ writer casts to signed.
  [[nodiscard]] std::uint64_t bits(Value value, const Where& where, Value container) const {
    if (is_small_size(value)) return static_cast<std::uint64_t>(value.as_integer());
    return rare_bits(value, where, container);
  }
  [[nodiscard]] std::string_view text(Value value, const Where& where, Value container) const;

private:
  // Almost all numbers are like this, and a trace has several an event: no detour through a std::optional.
  [[nodiscard]] static bool is_small_size(Value value) {
    return value.kind() == Kind::integer && value.as_integer() >= 0;
  }
  [[nodiscard]] std::uint64_t rare_size(Value value, const Where& where, Value container) const;
  [[nodiscard]] std::uint64_t rare_bits(Value value, const Where& where, Value container) const;

  const Document* document_;
};

} // namespace memviz
