#pragma once

// Keys and values, one after the other -> JSON text, as a whole or piece by piece. All JSON that memviz writes comes
// from here.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace memviz {

/// The layout of the members of an object or array.
enum class JsonLayout : std::uint8_t {
  compact, ///< {"a":1,"b":2}
  spaced,  ///< {"a": 1, "b": 2}
  lines,   ///< one member per line, indented two spaces per such container; {} and [] if empty
  rows,    ///< like `lines`, but the end has a separate line even if there are no members
  hanging, ///< like `rows`, but the end follows the last member on its line
};

/// The characters that are escaped in addition to those that JSON requires and those that are unsafe on a terminal or
/// in the log of a job.
enum class JsonEscapes : std::uint8_t {
  usual,
  ascii,  ///< all that is not ASCII
  markup, ///< < > &: neither "</script>" nor "]]>" nor an entity is left for what the JSON is in
};

/// Returns `text` in quotes; bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string& out, std::string_view text, JsonEscapes escapes = JsonEscapes::usual);

/// Throws std::logic_error if a call would make something other than JSON: a key in an array, a value without its key,
/// an end without a beginning, a second root.
class JsonWriter {
public:
  using Sink = std::function<void(std::string_view)>;

  /// Appends to `out`, which must outlive this object.
  explicit JsonWriter(std::string& out, JsonLayout layout = JsonLayout::lines, JsonEscapes escapes = JsonEscapes::usual)
      : out_(out), layout_(layout), escapes_(escapes) {}
  /// Uses `out` for text that was not yet given to `sink`, and leaves the rest there at the end.
  JsonWriter(std::string& out, Sink sink, JsonLayout layout = JsonLayout::lines)
      : out_(out), sink_(std::move(sink)), layout_(layout) {}

  JsonWriter& begin_object() { return begin_object(layout_); }
  JsonWriter& begin_object(JsonLayout layout) { return begin('{', layout); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin_array(layout_); }
  JsonWriter& begin_array(JsonLayout layout) { return begin('[', layout); }
  JsonWriter& end_array() { return end(']'); }
  /// Sets the layout of the innermost container, from its next member on.
  JsonWriter& set_layout(JsonLayout layout);

  JsonWriter& key(std::string_view name);
  /// Writes a text, number, bool, nullptr, optional (null if empty), or a range of these.
  template <class Value> JsonWriter& value(const Value& value);
  template <class Value> JsonWriter& member(std::string_view name, const Value& value) {
    return key(name).value(value);
  }

  [[nodiscard]] bool is_done() const { return has_root_ && depth_ == 0; }
  /// Returns the number of bytes written, including those given to the sink.
  [[nodiscard]] std::size_t written_bytes() const { return given_bytes_ + out_.size(); }

private:
  struct Level {
    char closes = 0;
    JsonLayout outer = JsonLayout::lines; ///< the layout around it
    bool has_members = false;
  };
  static constexpr std::size_t kMostLevels = 16; // nesting is decided by our own code, never by a file

  JsonWriter& begin(char opens, JsonLayout layout);
  JsonWriter& end(char closes);
  /// Writes the separator before a key, or before a value of an array.
  void separate();
  void begin_value();
  void end_value();
  void add_line();
  void add_text(std::string_view text);
  void add_number(double number);
  template <std::integral Number> void add_number(Number number) { out_ += std::to_string(number); }

  std::string& out_;
  Sink sink_;
  JsonLayout layout_;
  JsonEscapes escapes_ = JsonEscapes::usual;
  std::array<Level, kMostLevels> levels_{};
  std::size_t depth_ = 0;
  std::size_t indent_ = 0;
  std::size_t given_bytes_ = 0;
  bool has_key_ = false;
  bool has_root_ = false;
};

template <class Value> JsonWriter& JsonWriter::value(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    begin_value();
    out_ += value ? "true" : "false";
    end_value();
  } else if constexpr (std::is_same_v<Value, std::nullptr_t>) {
    begin_value();
    out_ += "null";
    end_value();
  } else if constexpr (std::is_arithmetic_v<Value>) {
    begin_value();
    add_number(value);
    end_value();
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    begin_value();
    add_text(value);
    end_value();
  } else if constexpr (std::ranges::range<Value>) {
    begin_array();
    for (const auto& element : value)
      this->value(element);
    end_array();
  } else {
    if (value)
      this->value(*value);
    else
      this->value(nullptr);
  }
  return *this;
}

/// Returns the JSON that `write` makes with a writer, as one text that ends in a newline.
template <class Write> [[nodiscard]] std::string json_document(const Write& write) {
  std::string text;
  JsonWriter writer(text);
  write(writer);
  if (!writer.is_done()) throw std::logic_error("JSON: not at its end");
  text += '\n';
  return text;
}

} // namespace memviz
