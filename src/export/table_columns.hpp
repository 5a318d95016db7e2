#pragma once

// A table, described once as the object that is one of its rows (json_object.hpp): its members are the columns. Names
// and types of columns, the statements of SQLite and each row are made of that description.

#include "base/json_object.hpp"
#include "export/table_rows.hpp"
#include "memviz/tables.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memviz {

template <class Number> [[nodiscard]] Wide<Number> wide(Number number) {
  return {number};
}
template <class Number> [[nodiscard]] std::optional<Wide<Number>> wide(const std::optional<Number>& number) {
  return number ? std::optional(Wide<Number>{*number}) : std::nullopt;
}

/// Returns the value of a column. Its form is kDecimal for a number that may exceed 2^53, names, or a function.
template <class Get, class Form, class Row>
[[nodiscard]] decltype(auto) column_value(const JsonMember<Get, Form, Always>& column, const Row& row) {
  if constexpr (std::is_same_v<Form, PlainForm>)
    return std::invoke(column.get, row);
  else if constexpr (std::is_same_v<Form, DecimalForm>)
    return wide(std::invoke(column.get, row));
  else if constexpr (requires { column.form.name(std::invoke(column.get, row)); })
    return column.form.name(std::invoke(column.get, row));
  else
    return column.form(std::invoke(column.get, row));
}

/// Writes one row of the table that `table` describes.
template <class Table> void write_row(TableRows& rows, const Table& table, const typename Table::Subject& row) {
  std::apply([&](const auto&... columns) { rows.row(column_value(columns, row)...); }, table.members);
}

template <class Cell> struct ContentOf { using Type = Cell; };
template <class Cell> struct ContentOf<const Cell*> { using Type = Cell; };
template <class Cell> struct ContentOf<std::optional<Cell>> { using Type = Cell; };

template <class Row, class Column> [[nodiscard]] constexpr TableColumn column_of(const Column& column) {
  using Cell = std::remove_cvref_t<decltype(column_value(column, std::declval<const Row&>()))>;
  constexpr bool kIsText = std::is_convertible_v<const typename ContentOf<Cell>::Type&, std::string_view>;
  return {column.facts.name, column.facts.meaning, kIsText, kMayBeNull<Cell>};
}

template <class Table> [[nodiscard]] constexpr auto columns_of(const Table& table) {
  return std::apply([](const auto&... columns) { return std::array{column_of<typename Table::Subject>(columns)...}; },
                    table.members);
}

/// The columns of a table, which live as long as the program.
template <const auto& Table> inline constexpr auto kColumnsOf = columns_of(Table);

template <const auto& Table> [[nodiscard]] TableDescription described() {
  return {Table.facts.name, Table.facts.meaning, kColumnsOf<Table>};
}

} // namespace memviz
