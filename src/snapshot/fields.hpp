#pragma once

// Typed access to the dicts of a snapshot. The columns of a shape are looked up once, not once a dict.

#include "snapshot/where.hpp"
#include "value/document.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memviz {

/// None counts as a key that is absent.
[[nodiscard]] inline bool is_present(Value value) {
  return value.kind() != Kind::unset && value.kind() != Kind::none;
}

/// Reads the same N keys from many dicts; a key that a dict lacks reads as Kind::unset.
template <std::size_t N> class FieldReader {
public:
  FieldReader(const Document& document, const std::array<std::string_view, N>& names) : document_(&document) {
    for (std::size_t i = 0; i < N; ++i)
      keys_[i] = document.find_text(names[i]);
  }

  [[nodiscard]] std::array<Value, N> read(Value dict) {
    std::array<Value, N> row;
    const DictView view = document_->dict(dict);
    if (view.shape == nullptr) {
      for (std::size_t i = 0; i < N; ++i)
        row[i] = document_->get(dict, keys_[i]);
      return row;
    }
    if (view.shape != shape_) {
      shape_ = view.shape;
      for (std::size_t i = 0; i < N; ++i)
        columns_[i] = shape_->column_of(keys_[i]);
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (columns_[i] >= 0) row[i] = view.shape->at(view.row, static_cast<std::size_t>(columns_[i]));
    }
    return row;
  }

private:
  const Document* document_;
  std::array<Value, N> keys_;
  const Shape* shape_ = nullptr;
  std::array<int, N> columns_{};
};

/// Converts single values, and says where they stand if they are of the wrong type.
class FieldChecker {
public:
  explicit FieldChecker(const Document& document) : document_(&document) {}

  /// Throws SchemaError unless `value` is of `kind`; `container` is what holds it.
  void require(Value value, Kind kind, const Where& where, Value container) const;
  /// A size or a count: an int from 0 to 2^64 - 1.
  [[nodiscard]] std::uint64_t size(Value value, const Where& where, Value container) const;
  /// An address or a stream: any int of 64 bits; PyTorch's C++ writer casts to signed.
  [[nodiscard]] std::uint64_t bits(Value value, const Where& where, Value container) const;
  [[nodiscard]] std::string_view text(Value value, const Where& where, Value container) const;

private:
  const Document* document_;
};

} // namespace memviz
