#pragma once

// Python data as C++ literals, and its pickle as Python's or PyTorch's C++ writer would write it:
//   pickled(dict({{"segments", list({})}, {"answer", 42}}), {.protocol = 2})

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memviz::test {

struct PythonValue;
using PythonItems = std::vector<PythonValue>;
using PythonPairs = std::vector<std::pair<PythonValue, PythonValue>>;

struct PythonList {
  std::shared_ptr<PythonItems> items; ///< shared: copies are one list, as in Python
};
struct PythonTuple {
  std::shared_ptr<PythonItems> items;
};
struct PythonDict {
  std::shared_ptr<PythonPairs> pairs;
};

struct PythonValue {
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, PythonList, PythonTuple,
               PythonDict>
      value = nullptr;

  PythonValue() = default;
  PythonValue(bool flag) : value(flag) {}
  PythonValue(int number) : value(std::int64_t{number}) {}
  PythonValue(std::int64_t number) : value(number) {}
  PythonValue(std::uint64_t number) : value(number) {}
  PythonValue(double number) : value(number) {}
  PythonValue(const char* text) : value(std::string(text)) {}
  PythonValue(std::string text) : value(std::move(text)) {}
  PythonValue(PythonList list) : value(std::move(list)) {}
  PythonValue(PythonTuple tuple) : value(std::move(tuple)) {}
  PythonValue(PythonDict dict) : value(std::move(dict)) {}

  /// Adds or replaces a key of a dict.
  PythonValue& set(std::string_view key, PythonValue item);
  /// Removes a key of a dict.
  PythonValue& without(std::string_view key);
};

[[nodiscard]] PythonValue list(PythonItems items = {});
[[nodiscard]] PythonValue tuple(PythonItems items);
[[nodiscard]] PythonValue dict(PythonPairs pairs = {});

struct PickleStyle {
  int protocol = 4;
  /// The byte patterns of PyTorch's C++ writer (protocol 2): PUT after filling, one batch, LONG1 of 8 bytes.
  bool is_cpp_writer = false;
};

[[nodiscard]] std::string pickled(const PythonValue& value, PickleStyle style = {});

} // namespace memviz::test
