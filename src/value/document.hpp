#pragma once

// A tree (or graph) of plain Python data, as in a pickle or a JSON text. Containers have identity: a list that is
// referred to twice is one list, and may be filled after it was referred to. Text is interned: equal text has equal
// Values. So are bytes, except those of megabytes, which are never compared.

#include "base/hash_table.hpp"
#include "value/chunked_vector.hpp"
#include "value/pair_list.hpp"
#include "value/shape.hpp"
#include "value/text_index.hpp"
#include "value/value.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// The place of a dict's values: a row of a shape or, for dicts that are large or grow key by key, a list of pairs.
struct DictView {
  const Shape* shape = nullptr;
  std::size_t row = 0;
  const PairList* pairs = nullptr; ///< null for an empty dict as well
};

class Document {
public:
  Value root = Value::none();

  // Building. The kind of the container passed must match.
  /// `text` must live as long as the document, unless it is passed to add_owned_text().
  Value add_text(std::string_view text, Kind kind = Kind::text);
  Value add_owned_text(std::string text, Kind kind = Kind::text);
  Value add_integer(std::int64_t value);
  Value add_unsigned(std::uint64_t value);
  Value add_real(double value);
  /// An integer of more than 64 bits.
  Value add_rounded_integer(double value) {
    has_rounded_integers_ = true;
    return add_real(value);
  }
  [[nodiscard]] bool has_rounded_integers() const noexcept { return has_rounded_integers_; }
  Value add_list(Kind kind = Kind::list);
  Value add_dict();
  /// Appends; does nothing and returns false if the list is frozen.
  bool append(Value list, std::span<const Value> items);
  /// `items` are key, value, key, value, ... Does nothing and returns false if the dict is frozen.
  bool set_items(Value dict, std::span<const Value> items);
  /// Marks a list, tuple or dict and everything in it as used, so that it must not be changed. Other values are
  /// unaffected. Needed by code that reads while a document grows; kept in a spare bit of each container, because a
  /// separate table would need a lookup per append.
  void freeze(Value value);

  // Reading. A value of another kind than a function expects is a SchemaError, because files choose kinds.
  /// Returns the characters of a text or of bytes.
  [[nodiscard]] std::string_view text(Value value) const {
    if (value.kind() != Kind::text && value.kind() != Kind::bytes) refuse("a text", value);
    return texts_[value.index()];
  }
  [[nodiscard]] double real(Value value) const {
    if (value.kind() != Kind::real) refuse("a float", value);
    return reals_[value.index()];
  }
  /// Returns the integer, if it is one (or a bool) and fits.
  [[nodiscard]] std::optional<std::int64_t> as_signed(Value value) const {
    if (value.kind() == Kind::integer) return value.as_integer();
    return rare_as_signed(value);
  }
  [[nodiscard]] std::optional<std::uint64_t> as_unsigned(Value value) const {
    if (value.kind() == Kind::integer && value.as_integer() >= 0) return static_cast<std::uint64_t>(value.as_integer());
    return rare_as_unsigned(value);
  }
  /// Returns the interned Value of `text`; Kind::unset if it does not occur.
  [[nodiscard]] Value find_text(std::string_view text) const;

  [[nodiscard]] std::size_t dict_count() const { return dicts_.size(); }
  [[nodiscard]] std::size_t list_count() const { return lists_.size(); }
  [[nodiscard]] std::uint64_t list_size(Value list) const {
    const List& found = list_at(list);
    return found.chain == kNone ? found.count() : chain_of(found).size;
  }
  /// Calls visit(Value) for each element of a list or tuple; visit returns false to stop.
  template <class Visit> void for_each(Value list, Visit&& visit) const {
    const List found = list_at(list);
    if (found.chain == kNone) {
      (void)visit_cells(found.begin, found.count(), visit);
      return;
    }
    for (std::uint32_t id = chain_of(found).first; id != kNone; id = spans_[id].next) {
      if (!visit_cells(spans_[id].begin, spans_[id].count, visit)) return;
    }
  }

  [[nodiscard]] DictView dict(Value dict) const;
  /// Returns the value of `key`; Kind::unset if the dict does not have it.
  [[nodiscard]] Value get(Value dict, Value key) const;
  [[nodiscard]] Value get(Value dict, std::string_view key) const {
    if (dict.kind() != Kind::dict) refuse_member(key, dict);
    return get(dict, find_text(key));
  }
  /// Calls visit(key, value) in file order.
  template <class Visit> void for_each_item(Value dict_value, Visit&& visit) const {
    const DictView view = dict(dict_value);
    if (view.pairs != nullptr) {
      for (const auto& [key, value] : view.pairs->items())
        visit(key, value);
    }
    if (view.shape == nullptr) return;
    const std::span<const Value> keys = view.shape->keys();
    for (std::size_t column = 0; column < keys.size(); ++column)
      visit(keys[column], view.shape->at(view.row, column));
  }

private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kFrozen = std::uint32_t{1} << 31U;
  static constexpr std::size_t kMaxShapeKeys = 64;
  // The maximum number of shapes; genuine files have some dozens. Further dicts are stored as pairs, so that a file of
  // odd dicts stays bounded.
  static constexpr std::size_t kMaxShapes = 4096;

  /// Consecutive elements.
  struct Span {
    std::uint64_t begin = 0;
    std::uint32_t count = 0;
    std::uint32_t next = kNone;
  };
  /// A list that was filled in batches with other values in between.
  struct Chain {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint64_t size = 0;
  };
  /// A list in 16 bytes, because one byte of a pickle makes one: a run of cells, or a chain of runs.
  struct List {
    std::uint64_t begin = 0;
    std::uint32_t count_and_frozen = 0;
    std::uint32_t chain = kNone;

    [[nodiscard]] std::uint32_t count() const { return count_and_frozen & ~kFrozen; }
    [[nodiscard]] bool is_frozen() const { return (count_and_frozen & kFrozen) != 0; }
  };
  /// The place of a dict's items, in 64 bits: a trace has one Dict per event.
  class Dict {
  public:
    constexpr Dict() = default;
    Dict(std::uint64_t storage, std::uint64_t row) : bits_(row << 17U | storage) {}
    /// kEmpty, kPairs (row: index into pairs_), or shape + 1 (row: of that shape).
    [[nodiscard]] std::size_t storage() const { return bits_ & 0xFFFFU; }
    [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(bits_ >> 17U); }
    [[nodiscard]] bool is_frozen() const { return (bits_ & kFrozenBit) != 0; }
    void freeze() { bits_ |= kFrozenBit; }

  private:
    static constexpr std::uint64_t kFrozenBit = std::uint64_t{1} << 16U;
    std::uint64_t bits_ = 0;
  };
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::uint64_t kPairs = 0xFFFF;

  [[nodiscard]] std::optional<std::size_t> shape_for(std::span<const Value> items);
  [[nodiscard]] std::optional<std::int64_t> rare_as_signed(Value value) const;
  [[nodiscard]] std::optional<std::uint64_t> rare_as_unsigned(Value value) const;
  [[noreturn]] static void refuse(std::string_view expected, Value found);
  [[noreturn]] static void refuse_member(std::string_view key, Value found);
  [[nodiscard]] const List& list_at(Value list) const {
    if (list.kind() != Kind::list && list.kind() != Kind::tuple) refuse("a list", list);
    return lists_[list.index()];
  }
  bool freeze_one(Value value);
  void add_pairs(Dict& dict, std::span<const Value> items);
  /// Whether cells can be added to the run of `list` because it ends with the last cell; otherwise a new run is needed.
  [[nodiscard]] bool is_at_end(const List& list) const;
  void start_span(List& list);
  [[nodiscard]] const Chain& chain_of(const List& list) const { return chains_[list.chain]; }
  template <class Visit> [[nodiscard]] bool visit_cells(std::uint64_t begin, std::uint64_t count, Visit&& visit) const {
    for (std::uint64_t i = begin; i < begin + count; ++i) {
      if (!visit(cells_[static_cast<std::size_t>(i)])) return false;
    }
    return true;
  }

  ChunkedVector<Value> cells_;
  ChunkedVector<Dict> dicts_;
  ChunkedVector<List> lists_;
  ChunkedVector<Chain, 12> chains_;
  ChunkedVector<Span, 12> spans_;
  bool has_rounded_integers_ = false;
  std::deque<Shape> shapes_; ///< a deque, because readers hold references to them while more are added
  std::array<std::uint16_t, kMaxShapeKeys + 1> latest_shape_{}; ///< by number of keys: shape + 1
  struct ShapeSlot {
    std::uint64_t hash = 0;
    std::uint16_t entry = 0; ///< shape + 1; 0: free
    [[nodiscard]] bool is_free() const { return entry == 0; }
  };
  HashTable<ShapeSlot> shape_index_;
  std::deque<PairList> pairs_; ///< a deque, because views point into it

  TextIndex texts_; ///< of Kind::text and Kind::bytes
  std::deque<std::string> owned_texts_;
  struct WideInteger {
    std::uint64_t bits;
    bool is_negative;
  };
  ChunkedVector<WideInteger, 12> wide_integers_;
  ChunkedVector<double, 12> reals_;
};

} // namespace memviz
