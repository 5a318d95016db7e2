#pragma once

// The JSON of an exported program -> members that must be there, lists, numbers, and unions.

#include "value/document.hpp"
#include "value/field.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace memviz::program {

/// The member `key` of a dict. Throws SchemaError where it is missing or of another kind.
[[nodiscard]] Field need(const Document& document, const Field& dict, std::string_view key, Kind kind);

/// The integer at `key`, where there is one.
[[nodiscard]] std::optional<std::int64_t> number_at(const Document& document, const Field& dict, std::string_view key);

/// {"as_tensor": {"name": "x"}} and its like: the key that says what it is, and what is there; "" and the whole
/// where nothing is chosen. Throws SchemaError for what is not a dict.
[[nodiscard]] std::pair<std::string_view, Field> choice_of(const Document& document, const Field& given);

/// Calls visit(Field) for each element. Throws SchemaError for what is not a list.
template <class Visit> void each(const Document& document, const Field& list, const Visit& visit) {
  list.require(Kind::list);
  std::size_t index = 0;
  document.for_each(list.value, [&](Value value) {
    visit(list.item(index++, value));
    return true;
  });
}

} // namespace memviz::program
