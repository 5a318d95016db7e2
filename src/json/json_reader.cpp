#include "json/json_reader.hpp"

#include "memviz/error.hpp"

#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::json {
namespace {

constexpr std::size_t kEscapeBytes = 6; // \ud800

enum class Half { none, high, low };

/// Returns the surrogate of the escape at the beginning of `text`.
Half surrogate_half(std::string_view text) {
  if (!text.starts_with("\\u") || text.size() < kEscapeBytes) return Half::none;
  unsigned value = 0;
  const char* const end = text.data() + kEscapeBytes;
  const auto result = std::from_chars(text.data() + 2, end, value, 16);
  if (result.ptr != end || value < 0xD800 || value > 0xDFFF) return Half::none;
  return value < 0xDC00 ? Half::high : Half::low;
}

/// Returns the offset of the next one at or after `from`.
std::optional<std::size_t> next_lone_surrogate(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find('\\', from); at < bytes.size(); at = bytes.find('\\', at)) {
    const Half half = surrogate_half(bytes.substr(at));
    if (half == Half::none) {
      at += 2; // an escaped backslash begins no escape
      continue;
    }
    if (half == Half::low || surrogate_half(bytes.substr(at + kEscapeBytes)) != Half::low) return at;
    at += 2 * kEscapeBytes;
  }
  return std::nullopt;
}

/// Mends strings that contain half of a surrogate pair, as Python's json writes a file name that is not UTF-8: in a
/// pickle the same string is read with U+FFFD in that place.
/// Returns a copy of `bytes`, of the same length, with `\ufffd` for each such escape; "" if there is none.
std::string without_lone_surrogates(std::string_view bytes) {
  std::string mended;
  for (auto at = next_lone_surrogate(bytes, 0); at; at = next_lone_surrogate(bytes, *at + kEscapeBytes)) {
    if (mended.empty()) mended = bytes;
    mended.replace(*at, kEscapeBytes, "\\ufffd");
  }
  return mended;
}

/// Receives nlohmann's parse events: finished values wait on a stack until their container is closed.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  bool null() override { return push(Value::none()); }
  bool boolean(bool value) override { return push(Value::boolean(value)); }
  bool number_integer(number_integer_t value) override { return push(document_.add_integer(value)); }
  bool number_unsigned(number_unsigned_t value) override { return push(document_.add_unsigned(value)); }
  bool number_float(number_float_t value, const string_t& /*token*/) override {
    return push(document_.add_real(value));
  }
  bool string(string_t& value) override { return push(document_.add_owned_text(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool key(string_t& value) override { return push(document_.add_owned_text(std::move(value))); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_object() override {
    const Value dict = document_.add_dict();
    document_.set_items(dict, items());
    return close(dict);
  }
  bool end_array() override {
    const Value list = document_.add_list();
    document_.append(list, items());
    return close(list);
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& /*error*/) override {
    throw ParseError(position == 0 ? 0 : position - 1, "expected JSON, found '" + token.substr(0, 40) + "'");
  }

  [[nodiscard]] Document result() && {
    document_.root = stack_.back();
    return std::move(document_);
  }

private:
  bool push(Value value) {
    stack_.push_back(value);
    return true;
  }
  bool open() {
    marks_.push_back(stack_.size());
    return true;
  }
  [[nodiscard]] std::span<const Value> items() const { return std::span(stack_).subspan(marks_.back()); }
  bool close(Value container) {
    stack_.resize(marks_.back());
    marks_.pop_back();
    return push(container);
  }

  Document document_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
};

} // namespace

Document read(std::string_view bytes) {
  Builder builder;
  const std::string mended = without_lone_surrogates(bytes);
  if (!mended.empty()) bytes = mended;
  // nlohmann's parser keeps a stack: nesting costs memory, not recursion.
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &builder);
  return std::move(builder).result();
}

} // namespace memviz::json
