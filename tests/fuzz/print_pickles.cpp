// Pickles from standard input, each after its length in 4 bytes -> a line each: what the decoder made of it, in a
// spelling that differential.py makes of Python's objects as well; or "error: " and the message.
//
// None N, booleans T and F, integers in decimal, floats as f and their bits, text and bytes as s and their bytes in
// hexadecimal, (tuples), [lists], {dicts}; lists and dicts that were there before are @ and their number.

#include "memviz/error.hpp"
#include "pickle/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using namespace memviz;

namespace {

/// Tuples that share tuples can expand to any length.
constexpr std::size_t kMostText = 1'000'000;

class Printer {
public:
  explicit Printer(const Document& document) : document_(document) {}

  std::string printed() {
    waiting_.push_back({document_.root, {}});
    while (!waiting_.empty()) {
      const Piece piece = waiting_.back();
      waiting_.pop_back();
      if (text_.size() > kMostText) return "too long";
      if (piece.value)
        print(*piece.value);
      else
        text_ += piece.text;
    }
    return text_;
  }

private:
  struct Piece {
    std::optional<Value> value;
    std::string_view text;
  };

  void print(Value value) {
    switch (value.kind()) {
    case Kind::none: text_ += "N"; return;
    case Kind::boolean: text_ += value.payload() != 0 ? "T" : "F"; return;
    case Kind::integer:
    case Kind::wide_integer: text_ += integer(value); return;
    case Kind::real: text_ += fmt::format("f{:016x}", std::bit_cast<std::uint64_t>(document_.real(value))); return;
    case Kind::text:
    case Kind::bytes: print_text(document_.text(value)); return;
    case Kind::tuple: return print_list(value, "(", ")");
    case Kind::list:
      if (is_new(value)) print_list(value, "[", "]");
      return;
    case Kind::dict:
      if (is_new(value)) print_dict(value);
      return;
    default: text_ += "?";
    }
  }

  std::string integer(Value value) const {
    if (const auto number = document_.as_unsigned(value)) return std::to_string(*number);
    return std::to_string(document_.as_signed(value).value_or(0));
  }

  void print_text(std::string_view bytes) {
    text_ += 's';
    for (const char byte : bytes)
      text_ += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }

  bool is_new(Value container) {
    const auto [entry, is_first] = numbers_.try_emplace(container.bits(), numbers_.size());
    if (!is_first) text_ += fmt::format("@{}", entry->second);
    return is_first;
  }

  void push(const std::vector<Piece>& pieces) { waiting_.insert(waiting_.end(), pieces.rbegin(), pieces.rend()); }

  void print_list(Value list, std::string_view open, std::string_view close) {
    std::vector<Piece> pieces{{{}, open}};
    document_.for_each(list, [&](Value item) {
      pieces.push_back({item, {}});
      pieces.push_back({{}, ","});
      return true;
    });
    pieces.push_back({{}, close});
    push(pieces);
  }

  /// As in Python, a repeated key keeps its place and gets the new value.
  void print_dict(Value dict) {
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<Value, Value>> items;
    document_.for_each_item(dict, [&](Value key, Value value) {
      const auto [place, is_first] = places.try_emplace(identity(key), items.size());
      if (is_first)
        items.emplace_back(key, value);
      else
        items[place->second].second = value;
    });
    std::vector<Piece> pieces{{{}, "{"}};
    for (const auto& [key, value] : items)
      pieces.insert(pieces.end(), {{key, {}}, {{}, ":"}, {value, {}}, {{}, ","}});
    pieces.push_back({{}, "}"});
    push(pieces);
  }

  /// Equal for keys that Python considers equal: 1, 1.0 and True are.
  std::string identity(Value key) const {
    if (key.kind() == Kind::boolean) return key.payload() != 0 ? "1" : "0";
    if (key.kind() == Kind::integer || key.kind() == Kind::wide_integer) return integer(key);
    if (key.kind() == Kind::real && std::nearbyint(document_.real(key)) == document_.real(key))
      return fmt::format("{:.0f}", document_.real(key) + 0.0);
    if (key.kind() == Kind::real) return fmt::format("real {}", std::bit_cast<std::uint64_t>(document_.real(key)));
    if (key.kind() == Kind::text) return "text " + std::string(document_.text(key));
    if (key.kind() == Kind::bytes) return "bytes " + std::string(document_.text(key));
    return "object " + std::to_string(key.bits());
  }

  const Document& document_;
  std::string text_;
  std::vector<Piece> waiting_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
};

std::string answer_to(const std::string& bytes) {
  try {
    return Printer(pickle::decode(bytes).document).printed();
  } catch (const Error& error) {
    std::string message = std::string("error: ") + error.what();
    // It quotes the file.
    std::replace_if(
        message.begin(), message.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return message;
  }
}

} // namespace

int main() {
  std::array<unsigned char, 4> size{};
  while (std::fread(size.data(), 1, size.size(), stdin) == size.size()) {
    std::string bytes(size[0] | std::size_t{size[1]} << 8U | std::size_t{size[2]} << 16U | std::size_t{size[3]} << 24U,
                      '\0');
    if (std::fread(bytes.data(), 1, bytes.size(), stdin) != bytes.size()) return 1;
    const std::string line = answer_to(bytes) + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
