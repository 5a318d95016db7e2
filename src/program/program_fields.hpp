#pragma once

// The JSON of an exported program -> required members, lists, numbers, and unions.

#include "value/document.hpp"
#include "value/field.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace memviz::program {

/// Returns the member `key` of a dict. Throws SchemaError if it is missing or of another kind.
[[nodiscard]] Field need(const Document& document, const Field& dict, std::string_view key, Kind kind);

/// Returns the integer at `key`, if there is one.
[[nodiscard]] std::optional<std::int64_t> number_at(const Document& document, const Field& dict, std::string_view key);

/// Returns the key that says what {"as_tensor": {"name": "x"}} and similar unions are, and its value; "" and the whole
/// if nothing is chosen. Throws SchemaError if it is not a dict.
[[nodiscard]] std::pair<std::string_view, Field> choice_of(const Document& document, const Field& given);

/// Calls visit(Field) for each element. Throws SchemaError if it is not a list.
template <class Visit> void each(const Document& document, const Field& list, const Visit& visit) {
  list.require(Kind::list);
  std::size_t index = 0;
  document.for_each(list.value, [&](Value value) {
    visit(list.item(index++, value));
    return true;
  });
}

} // namespace memviz::program
