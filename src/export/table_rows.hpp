#pragma once

// The rows of one table, value by value: SQLite's insertions, CSV and JSON lines are made from the same rows.

#include "memviz/device_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace memviz {

/// A number that may exceed 2^53, which is text in JSON.
template <class Number> struct Wide { Number value; };
template <class Number> Wide(Number) -> Wide<Number>;

class TableRows {
public:
  virtual ~TableRows() = default;

  /// Writes one row: integers, texts that are valid UTF-8 and stay valid until the next row, and null.
  template <class... Values> void row(const Values&... values) {
    (put(values), ...);
    end_row();
  }

protected:
  virtual void add(std::int64_t number) = 0;
  virtual void add(std::uint64_t number) = 0;
  virtual void add(Wide<std::int64_t> number) = 0;
  virtual void add(Wide<std::uint64_t> number) = 0;
  virtual void add(std::string_view text) = 0;
  virtual void add_null() = 0;
  virtual void end_row() = 0;

private:
  template <class Number>
  requires std::is_integral_v<Number>
  void put(Number number) {
    if constexpr (std::is_signed_v<Number>)
      add(std::int64_t{number});
    else
      add(std::uint64_t{number});
  }
  template <class Number> void put(Wide<Number> number) { add(number); }
  void put(std::string_view text) { add(text); }
  void put(const std::string& text) { add(std::string_view(text)); }
  /// A null pointer is null.
  template <class Value> void put(const Value* value) {
    if (value != nullptr)
      put(*value);
    else
      add_null();
  }
  template <class Value> void put(const std::optional<Value>& value) {
    if (value)
      put(*value);
    else
      add_null();
  }
};

/// Returns `text` of a file in the form for a column: printable, and cut if it is longer than any name.
[[nodiscard]] std::string column_text(std::string_view text);

/// Returns the number of a device in tables: -1 for pinned host memory.
[[nodiscard]] constexpr std::int64_t device_number(DeviceId device) {
  return is_host(device) ? -1 : static_cast<std::int64_t>(device.value);
}

} // namespace memviz
