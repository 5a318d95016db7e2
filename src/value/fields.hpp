#pragma once

// The same keys of many dicts. The columns of a shape are looked up once, not once per dict.

#include "base/hash_map.hpp"
#include "value/document.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memviz {

/// Reads the same N keys from many dicts; a key that a dict lacks is read as Kind::unset. The document may grow
/// meanwhile.
template <std::size_t N> class FieldReader {
public:
  using Row = std::array<Value, N>;
  /// The index of each key in a dict's keys, or -1.
  using Columns = std::array<int, N>;

  FieldReader(const Document& document, const std::array<std::string_view, N>& names)
      : document_(&document), names_(names) {}

  [[nodiscard]] Row read(Value dict) {
    Row row;
    const DictView view = document_->dict(dict);
    if (view.shape == nullptr) {
      note_loose(dict);
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

  /// Returns one value of a row of `dict`, which must outlive it.
  [[nodiscard]] Field field(const Field& dict, const Row& row, std::size_t number) const {
    return dict.member(names_[number], row[number]);
  }

  /// Returns the columns of the keys. The last one of a repeated key counts, as in Python.
  [[nodiscard]] Columns columns_of(std::span<const Value> keys) {
    Columns columns;
    for (const Value key : keys)
      note(key);
    for (std::size_t i = 0; i < N; ++i) {
      const auto found = std::find(keys.rbegin(), keys.rend(), document_->find_text(names_[i]));
      columns[i] = found == keys.rend() ? -1 : static_cast<int>(keys.rend() - found) - 1;
    }
    return columns;
  }

  /// Calls `take` with each key that a dict has besides the N, in no particular order.
  template <class Take> void for_each_other(const Take& take) const {
    others_.for_each([&](std::uint64_t, Value key) { take(key); });
  }

private:
  void note(Value key) {
    const bool is_read = key.kind() == Kind::text && std::ranges::find(names_, document_->text(key)) != names_.end();
    if (!is_read) others_.add(key.bits(), key);
  }
  /// There may be as many dicts without a shape as records, so a bounded number of their keys is examined.
  void note_loose(Value dict) {
    if (loose_keys_left_ == 0) return;
    document_->for_each_item(dict, [&](Value key, Value) {
      if (loose_keys_left_ == 0) return;
      --loose_keys_left_;
      note(key);
    });
  }

  static constexpr std::size_t kMostLooseKeys = 4096;

  const Document* document_;
  std::array<std::string_view, N> names_;
  const Shape* shape_ = nullptr;
  Columns latest_{};
  HashMap<const Shape*, Columns> columns_;
  HashMap<std::uint64_t, Value> others_; ///< keys that are not among the names, by their bits
  std::size_t loose_keys_left_ = kMostLooseKeys;
};

} // namespace memviz
