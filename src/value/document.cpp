#include "value/document.hpp"

#include "base/hash.hpp"
#include "memviz/error.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

Value Document::add_text(std::string_view text, Kind kind) {
  constexpr std::size_t kMostInternedBytes = std::size_t{1} << 20U;
  if (kind == Kind::bytes && text.size() > kMostInternedBytes) return {kind, texts_.add_unseen(text)};
  return {kind, texts_.add(text).number};
}

Value Document::add_owned_text(std::string text, Kind kind) {
  if (const auto known = texts_.find(text)) return {kind, *known};
  return add_text(owned_texts_.emplace_back(std::move(text)), kind);
}

Value Document::add_integer(std::int64_t value) {
  if (Value::fits_inline(value)) return Value::integer(value);
  wide_integers_.push_back({static_cast<std::uint64_t>(value), value < 0});
  return {Kind::wide_integer, wide_integers_.size() - 1};
}

Value Document::add_unsigned(std::uint64_t value) {
  if (value < std::uint64_t{1} << 59U) return Value::integer(static_cast<std::int64_t>(value));
  wide_integers_.push_back({value, false});
  return {Kind::wide_integer, wide_integers_.size() - 1};
}

Value Document::add_real(double value) {
  reals_.push_back(value);
  return {Kind::real, reals_.size() - 1};
}

Value Document::add_list(Kind kind) {
  lists_.push_back({});
  return {kind, lists_.size() - 1};
}

Value Document::add_dict() {
  dicts_.push_back({});
  return {Kind::dict, dicts_.size() - 1};
}

bool Document::is_at_end(const List& list) const {
  if (list.chain == kNone) return list.begin + list.count() == cells_.size();
  const Span& last = spans_[chains_[list.chain].last];
  return last.begin + last.count == cells_.size();
}

void Document::start_span(List& list) {
  if (list.chain == kNone && list.count() == 0) {
    list.begin = cells_.size();
    return;
  }
  if (spans_.size() + 2 >= kNone) throw Error("more than 2^32 pieces of lists");
  if (list.chain == kNone) {
    const auto first = static_cast<std::uint32_t>(spans_.size());
    spans_.push_back({list.begin, list.count(), kNone});
    list.chain = static_cast<std::uint32_t>(chains_.size());
    chains_.push_back({first, first, list.count()});
  }
  Chain& chain = chains_[list.chain];
  const auto next = static_cast<std::uint32_t>(spans_.size());
  spans_.push_back({cells_.size(), 0, kNone});
  spans_[chain.last].next = next;
  chain.last = next;
}

bool Document::append(Value list_value, std::span<const Value> items) {
  // A run counts in 31 bits.
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
  List& list = lists_[list_value.index()];
  if (list.is_frozen()) return false;
  while (!items.empty()) {
    const auto batch = items.first(std::min(items.size(), kMostAtOnce));
    const std::uint32_t count = list.chain == kNone ? list.count() : spans_[chains_[list.chain].last].count;
    if (!is_at_end(list) || count + batch.size() > kMostAtOnce) start_span(list);
    for (const Value item : batch)
      cells_.push_back(item);
    if (list.chain == kNone) {
      list.count_and_frozen += static_cast<std::uint32_t>(batch.size());
    } else {
      spans_[chains_[list.chain].last].count += static_cast<std::uint32_t>(batch.size());
      chains_[list.chain].size += batch.size();
    }
    items = items.subspan(batch.size());
  }
  return true;
}

/// Returns false if there was nothing to do.
bool Document::freeze_one(Value value) {
  switch (value.kind()) {
  case Kind::dict: {
    Dict& dict = dicts_[value.index()];
    if (dict.is_frozen()) return false;
    dict.freeze();
    return true;
  }
  case Kind::list:
  case Kind::tuple: {
    List& list = lists_[value.index()];
    if (list.is_frozen()) return false;
    list.count_and_frozen |= kFrozen;
    return true;
  }
  default: return false;
  }
}

void Document::freeze(Value value) {
  if (!freeze_one(value)) return;
  std::vector<Value> open{value};
  const auto add = [&](Value item) {
    if (freeze_one(item)) open.push_back(item);
    return true;
  };
  while (!open.empty()) {
    const Value next = open.back();
    open.pop_back();
    if (next.kind() != Kind::dict) {
      for_each(next, add);
      continue;
    }
    for_each_item(next, [&](Value key, Value item) {
      add(key);
      add(item);
    });
  }
}

std::optional<std::size_t> Document::shape_for(std::span<const Value> items) {
  const std::size_t key_count = items.size() / 2;
  if (key_count > kMaxShapeKeys) return std::nullopt;
  const std::uint16_t latest = latest_shape_[key_count];
  if (latest != 0 && shapes_[latest - 1U].matches(items)) return latest - 1U;

  std::uint64_t hash = mixed(hash_secret(), key_count);
  for (std::size_t i = 0; i < key_count; ++i)
    hash = mixed(hash, items[2 * i].bits());
  ShapeSlot& slot = shape_index_.place(
      hash, [&](const ShapeSlot& one) { return one.hash == hash && shapes_[one.entry - 1U].matches(items); },
      [](const ShapeSlot& one) { return one.hash; });
  if (slot.is_free()) {
    if (shapes_.size() >= kMaxShapes) return std::nullopt;
    std::vector<Value> keys(key_count);
    for (std::size_t i = 0; i < key_count; ++i)
      keys[i] = items[2 * i];
    shapes_.emplace_back(std::move(keys));
    shape_index_.fill(slot, {hash, static_cast<std::uint16_t>(shapes_.size())});
  }
  const std::size_t shape = slot.entry - 1U;
  latest_shape_[key_count] = static_cast<std::uint16_t>(shape + 1);
  return shape;
}

void Document::add_pairs(Dict& dict, std::span<const Value> items) {
  if (dict.storage() != kPairs) {
    PairList pairs;
    if (dict.storage() != kEmpty) {
      const Shape& shape = shapes_[dict.storage() - 1];
      for (std::size_t i = 0; i < shape.keys().size(); ++i)
        pairs.add(shape.keys()[i], shape.at(dict.row(), i));
    }
    pairs_.push_back(std::move(pairs));
    dict = Dict(kPairs, pairs_.size() - 1);
  }
  PairList& pairs = pairs_[dict.row()];
  for (std::size_t i = 0; i < items.size(); i += 2)
    pairs.add(items[i], items[i + 1]);
}

bool Document::set_items(Value dict_value, std::span<const Value> items) {
  if (items.empty()) return true;
  Dict& dict = dicts_[dict_value.index()];
  if (dict.is_frozen()) return false;
  if (dict.storage() == kEmpty) {
    if (const auto shape = shape_for(items)) {
      dict = Dict(*shape + 1, shapes_[*shape].push(items));
      return true;
    }
  }
  add_pairs(dict, items);
  return true;
}

std::optional<std::int64_t> Document::rare_as_signed(Value value) const {
  if (value.kind() == Kind::boolean) return static_cast<std::int64_t>(value.payload());
  if (value.kind() != Kind::wide_integer) return std::nullopt;
  const WideInteger wide = wide_integers_[value.index()];
  if (!wide.is_negative && wide.bits > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
  return static_cast<std::int64_t>(wide.bits);
}

std::optional<std::uint64_t> Document::rare_as_unsigned(Value value) const {
  if (value.kind() == Kind::wide_integer) {
    const WideInteger wide = wide_integers_[value.index()];
    return wide.is_negative ? std::nullopt : std::optional(wide.bits);
  }
  const auto number = as_signed(value);
  return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

Value Document::find_text(std::string_view text) const {
  const auto number = texts_.find(text);
  return number ? Value(Kind::text, *number) : Value();
}

void Document::refuse(std::string_view expected, Value found) {
  throw SchemaError(fmt::format("expected {}, found {}", expected, value_name(found.kind())), found);
}

void Document::refuse_member(std::string_view key, Value found) {
  refuse(fmt::format("a dict with '{}'", key), found);
}

DictView Document::dict(Value dict_value) const {
  if (dict_value.kind() != Kind::dict) refuse("a dict", dict_value);
  const Dict dict = dicts_[dict_value.index()];
  if (dict.storage() == kEmpty) return {};
  if (dict.storage() == kPairs) return {nullptr, 0, &pairs_[dict.row()]};
  return {&shapes_[dict.storage() - 1], dict.row()};
}

Value Document::get(Value dict_value, Value key) const {
  const DictView view = dict(dict_value);
  if (view.shape != nullptr) {
    const int column = view.shape->column_of(key);
    return column < 0 ? Value() : view.shape->at(view.row, static_cast<std::size_t>(column));
  }
  return view.pairs == nullptr ? Value() : view.pairs->find(key);
}

} // namespace memviz
