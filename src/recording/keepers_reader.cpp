#include "recording/keepers_reader.hpp"

#include "base/utf8.hpp"
#include "memviz/format.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {
namespace {

constexpr std::string_view kKeepersKey = "memviz_keepers";
/// Short whatever the file contains, because many places may show it.
constexpr std::size_t kMostKeeperBytes = 512;

using Column = std::vector<Value>;

/// Returns the kind with this word in the file, of the kinds before `other`; else `other`.
template <class Word> Word word_of(std::string_view text, Word other) {
  for (int i = 0; i < static_cast<int>(other); ++i)
    if (keeper_word(static_cast<Word>(i)) == text) return static_cast<Word>(i);
  return other;
}

Value item_of(const Column& column, std::size_t index) {
  return index < column.size() ? column[index] : Value();
}

class KeepersReader {
public:
  KeepersReader(const Document& document, FrameReader& texts, Budget& budget, Recording& recording)
      : document_(document), texts_(texts), budget_(budget), graph_(recording.keepers) {}

  void read(Value key) {
    key_ = key;
    if (key.kind() != Kind::dict) {
      ++left_out_;
      return;
    }
    graph_.is_recorded = true;
    read_facts();
    if (auto column = column_of("texts")) text_values_ = std::move(*column);
    read_objects();
    read_references();
    read_roots();
    read_storages();
    read_places();
  }

  void warn(std::vector<std::string>& warnings) const {
    if (left_out_ == 0) return;
    warnings.push_back(
        fmt::format("{} of '{}' {} not what memviz's recorder writes, and omitted (from a newer version?)",
                    format_counted(left_out_, "entry", "entries"), kKeepersKey, left_out_ == 1 ? "is" : "are"));
  }

private:
  [[nodiscard]] std::uint64_t number(std::string_view key) const {
    return document_.as_unsigned(document_.get(key_, key)).value_or(0);
  }

  void read_facts() {
    const Value cut = document_.get(key_, "cut");
    const std::string_view word = cut.kind() == Kind::text ? document_.text(cut) : "";
    graph_.limit = word_of(word, KeeperLimit::unknown);
    graph_.walked_objects = number("objects");
    graph_.unreadable_objects = number("unreadable");
    const Value seconds = document_.get(key_, "seconds");
    constexpr double kMostSeconds = 1e9;
    const double walk = seconds.kind() == Kind::real ? document_.real(seconds) : static_cast<double>(number("seconds"));
    if (walk >= 0 && walk < kMostSeconds) graph_.walk_ms = static_cast<std::uint64_t>(std::llround(walk * 1000));
  }

  /// Returns an empty column for a key that is absent, and nothing for a value that is not a list.
  /// Charges for `columns` columns of its length.
  std::optional<Column> column_of(std::string_view key, std::uint64_t columns = 1) {
    const Value items = document_.get(key_, key);
    Column column;
    if (!is_present(items)) return column;
    if (items.kind() != Kind::list) {
      ++left_out_;
      return std::nullopt;
    }
    budget_.spend_numbers(document_.list_size(items) * columns, Field{items, nullptr, kKeepersKey});
    document_.for_each(items, [&](Value item) {
      column.push_back(item);
      return true;
    });
    return column;
  }

  /// Returns the columns of one table; nothing unless the `needed` first ones are as long as the first, and each of the
  /// others is, or is absent.
  std::optional<std::vector<Column>> table(std::span<const std::string_view> keys, std::size_t needed) {
    std::vector<Column> columns;
    for (const std::string_view key : keys) {
      // The first one pays for all, because an absent column takes memory as well.
      const std::size_t others = columns.empty() ? keys.size() - 1 : 0;
      auto column = column_of(key, 1 + others);
      if (!column) return std::nullopt;
      const std::size_t size = columns.empty() ? column->size() : columns.front().size();
      if (column->size() != size && (columns.size() < needed || !column->empty())) {
        ++left_out_;
        return std::nullopt;
      }
      columns.push_back(std::move(*column));
    }
    return columns;
  }

  /// The words that numbers of a column refer to.
  template <class Word> std::vector<Word> words(std::string_view key, Word other) {
    std::vector<Word> words;
    const auto column = column_of(key);
    if (!column) return words;
    for (const Value word : *column)
      words.push_back(word.kind() == Kind::text ? word_of(document_.text(word), other) : other);
    return words;
  }
  template <class Word> [[nodiscard]] Word word_at(const std::vector<Word>& words, Value index, Word other) const {
    const auto place = document_.as_unsigned(index);
    return place && *place < words.size() ? words[static_cast<std::size_t>(*place)] : other;
  }

  [[nodiscard]] std::uint32_t count_of(Value value) const {
    const auto count = document_.as_unsigned(value).value_or(0);
    return count <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(count) : 0;
  }
  [[nodiscard]] std::optional<KeeperId> object_of(Value value) const {
    const auto id = document_.as_unsigned(value);
    if (!id || *id >= graph_.objects.size()) return std::nullopt;
    return KeeperId{static_cast<std::uint32_t>(*id)};
  }

  /// Returns the value of a text by its number; none if there is no such text.
  [[nodiscard]] Value text_value(Value number) const {
    const auto place = document_.as_unsigned(number);
    const Value value =
        place ? item_of(text_values_, static_cast<std::size_t>(std::min<std::uint64_t>(*place, text_values_.size())))
              : Value();
    return value.kind() == Kind::text && !document_.text(value).empty() ? value : Value();
  }
  StringId text_of(TextKind kind, Value number) {
    const Value value = text_value(number);
    if (value.kind() != Kind::text) return kEmptyString;
    const std::string_view text = document_.text(value);
    if (text.size() <= kMostKeeperBytes) return texts_.text(kind, value);
    const auto [cut, is_new] = cut_texts_.try_emplace({kind, value.payload()});
    if (is_new) cut->second = texts_.text(kind, to_valid_utf8(whole_characters(text.substr(0, kMostKeeperBytes))));
    return cut->second;
  }
  /// Returns the value of a function or a file; none if it is longer than any that the recorder writes.
  [[nodiscard]] Value code_value(Value number) const {
    const Value value = text_value(number);
    return value.kind() == Kind::text && document_.text(value).size() <= kMostKeeperBytes ? value : Value();
  }

  void read_objects();
  KeeperObject object_at(const std::vector<Column>& columns, std::size_t i, KeeperKind kind);
  void read_references();
  void read_roots();
  void read_storages();
  void read_places();

  const Document& document_;
  FrameReader& texts_;
  Budget& budget_;
  KeeperGraph& graph_;
  Value key_;
  Column text_values_;
  std::map<std::pair<TextKind, std::uint64_t>, StringId> cut_texts_; ///< by kind and number of the text
  std::uint64_t left_out_ = 0;
};

void KeepersReader::read_objects() {
  static constexpr std::array<std::string_view, 6> kColumns{"node_kind", "node_name",  "node_file",
                                                            "node_line", "node_items", "node_hidden"};
  const auto kinds = words("kinds", KeeperKind::object);
  const auto columns = table(kColumns, 1);
  if (!columns) return;
  graph_.objects.reserve(columns->front().size());
  for (std::size_t i = 0; i < columns->front().size(); ++i)
    graph_.objects.push_back(object_at(*columns, i, word_at(kinds, columns->front()[i], KeeperKind::object)));
}

KeeperObject KeepersReader::object_at(const std::vector<Column>& columns, std::size_t i, KeeperKind kind) {
  KeeperObject object;
  object.kind = kind;
  object.line = count_of(item_of(columns[3], i));
  const auto items = document_.as_unsigned(item_of(columns[4], i));
  if (items && *items <= std::numeric_limits<std::uint32_t>::max()) object.items = static_cast<std::uint32_t>(*items);
  object.hidden_tensors = count_of(item_of(columns[5], i));
  const Value name = item_of(columns[1], i);
  const Value file = code_value(item_of(columns[2], i));
  switch (kind) {
  case KeeperKind::frame:
  case KeeperKind::traceback:
  case KeeperKind::function:
  case KeeperKind::generator: {
    // Like the frames of stacks, so that the same function gets the same name.
    const Frame code = texts_.code(code_value(name), file);
    object.name = code.name;
    object.file = code.filename;
    return object;
  }
  case KeeperKind::dict:
  case KeeperKind::list:
  case KeeperKind::tuple:
  case KeeperKind::set:
  case KeeperKind::deque: return object;
  default:
    object.name = text_of(TextKind::class_name, name);
    object.file = texts_.code(Value(), file).filename;
    return object;
  }
}

void KeepersReader::read_references() {
  static constexpr std::array<std::string_view, 4> kColumns{"edge_from", "edge_to", "edge_how", "edge_label"};
  const auto hows = words("hows", ReferenceKind::refers);
  const auto columns = table(kColumns, 2);
  if (!columns) return;
  graph_.references.reserve(columns->front().size());
  for (std::size_t i = 0; i < columns->front().size(); ++i) {
    const auto from = object_of((*columns)[0][i]);
    const auto to = object_of((*columns)[1][i]);
    if (!from || !to) {
      ++left_out_;
      continue;
    }
    KeeperReference reference{.from = *from, .to = *to, .how = {}, .label = {}, .index = 0};
    reference.how = word_at(hows, item_of((*columns)[2], i), ReferenceKind::refers);
    const Value label = item_of((*columns)[3], i);
    if (reference.how == ReferenceKind::index)
      reference.index = count_of(label);
    else
      reference.label = text_of(TextKind::variable, label);
    graph_.references.push_back(reference);
  }
}

void KeepersReader::read_roots() {
  static constexpr std::array<std::string_view, 2> kColumns{"root_kind", "root_node"};
  std::vector<std::optional<KeeperRoot>> kinds;
  if (const auto names = column_of("root_kinds"))
    for (const Value name : *names) {
      const std::string_view text = name.kind() == Kind::text ? document_.text(name) : "";
      const auto kind = word_of(text, static_cast<KeeperRoot>(static_cast<int>(KeeperRoot::temporary) + 1));
      kinds.push_back(kind <= KeeperRoot::temporary ? std::optional(kind) : std::nullopt);
    }
  const auto columns = table(kColumns, 2);
  if (!columns) return;
  for (std::size_t i = 0; i < columns->front().size(); ++i) {
    const auto kind = word_at(kinds, (*columns)[0][i], std::optional<KeeperRoot>());
    const auto object = object_of((*columns)[1][i]);
    if (kind && object)
      graph_.roots.push_back({*kind, *object});
    else
      ++left_out_;
  }
}

void KeepersReader::read_storages() {
  static constexpr std::array<std::string_view, 4> kColumns{"storage_node", "storage_device", "storage_address",
                                                            "storage_bytes"};
  const auto columns = table(kColumns, 4);
  if (!columns) return;
  for (std::size_t i = 0; i < columns->front().size(); ++i) {
    const auto object = object_of((*columns)[0][i]);
    const auto device = document_.as_unsigned((*columns)[1][i]);
    const auto address = document_.as_unsigned((*columns)[2][i]);
    const auto bytes = document_.as_unsigned((*columns)[3][i]);
    if (object && device && *device < kMostDeviceIds && address && bytes && *bytes <= kMaxTotalBytes)
      graph_.storages.push_back({*object, {static_cast<std::uint32_t>(*device)}, *address, *bytes});
    else
      ++left_out_;
  }
}

void KeepersReader::read_places() {
  static constexpr std::array<std::string_view, 6> kColumns{"place_node", "place_variable", "place_how",
                                                            "place_name", "place_file",     "place_line"};
  // A relation of a newer recorder is none of these.
  constexpr auto kNone = static_cast<CodeRelation>(static_cast<int>(CodeRelation::would_set) + 1);
  const auto relations = words("place_hows", kNone);
  const auto columns = table(kColumns, 6);
  if (!columns) return;
  for (std::size_t i = 0; i < columns->front().size(); ++i) {
    const auto at = [&](std::size_t column) { return (*columns)[column][i]; };
    const auto root = object_of(at(0));
    const StringId variable = text_of(TextKind::variable, at(1));
    const auto how = word_at(relations, at(2), kNone);
    const std::uint32_t line = count_of(at(5));
    if (!root || variable == kEmptyString || line == 0) {
      ++left_out_;
      continue;
    }
    if (how == kNone) continue;
    const Frame code = texts_.code(code_value(at(3)), code_value(at(4)));
    graph_.places.push_back({*root, variable, how, code.name, code.filename, line});
  }
}

} // namespace

void read_keepers(const Document& document, FrameReader& texts, Budget& budget, Recording& recording) {
  if (document.root.kind() != Kind::dict) return;
  const Value key = document.get(document.root, kKeepersKey);
  if (!is_present(key)) return;
  KeepersReader reader(document, texts, budget, recording);
  reader.read(key);
  reader.warn(recording.warnings);
}

} // namespace memviz
