#pragma once

// The symbolic sizes of an exported program: names, functions of other sizes, and their values.

#include "program/polynomial.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::program {

/// The maximum length in bytes of the expression of a size, which no real program approaches; it bounds functions of
/// functions.
inline constexpr std::size_t kLongestSize = 4096;

/// The meaning of a symbol.
enum class Meaning : std::uint8_t {
  name,    ///< a size as such: s0; u0 if it comes from the data
  floor,   ///< floor(arguments[0] / arguments[1])
  ceiling, ///< ceil(arguments[0] / arguments[1])
  modulo,  ///< with the sign of arguments[1], as in Python
  max,     ///< of all arguments
  min,
  opaque, ///< an unknown expression
};

/// The symbols of one program. Equal texts are one symbol.
class Symbols {
public:
  [[nodiscard]] Polynomial named(std::string_view name);
  /// Returns a number if the arguments are numbers.
  [[nodiscard]] Polynomial function(Meaning meaning, const std::vector<Polynomial>& arguments);
  /// `text`: as in the program.
  [[nodiscard]] Polynomial opaque(std::string_view text);

  /// A later value replaces an earlier one.
  void set_value(SymbolId symbol, std::int64_t value);
  /// Renames names and unknown expressions to what `renamed` returns for them; rewrites functions.
  void rename(const std::function<std::string(const std::string& text)>& renamed);
  [[nodiscard]] std::optional<SymbolId> find(std::string_view name) const;
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] Meaning meaning(SymbolId symbol) const { return all_[symbol.value].meaning; }
  /// "s0", "(s0 // 2)"
  [[nodiscard]] const std::string& text(SymbolId symbol) const { return all_[symbol.value].text; }

  /// Returns nullopt if a symbol has no value. Throws Error if the result overflows.
  [[nodiscard]] std::optional<std::int64_t> value(const Polynomial& polynomial) const;
  /// Uses `otherwise` for symbols without a value.
  [[nodiscard]] std::int64_t value_or(const Polynomial& polynomial, std::int64_t otherwise) const;
  /// "2*s0*s1 + 40", "0"; for long ones the first 4 KiB and "…"
  [[nodiscard]] std::string text(const Polynomial& polynomial) const;

private:
  struct Symbol {
    std::string text;
    Meaning meaning = Meaning::name;
    std::vector<Polynomial> arguments = {};
    std::optional<std::int64_t> value = {};
  };

  struct Text {
    std::string text;
    bool is_whole = true;
  };

  [[nodiscard]] SymbolId add(Symbol symbol);
  [[nodiscard]] std::string written(Meaning meaning, const std::vector<Polynomial>& arguments) const;
  [[nodiscard]] Text bounded_text(const Polynomial& polynomial) const;
  [[nodiscard]] std::optional<std::int64_t> computed(const Symbol& function,
                                                     std::optional<std::int64_t> otherwise) const;
  [[nodiscard]] std::optional<std::int64_t> value(SymbolId symbol, std::optional<std::int64_t> otherwise) const;
  [[nodiscard]] std::optional<std::int64_t> value(const Polynomial& polynomial,
                                                  std::optional<std::int64_t> otherwise) const;

  /// The values of functions, by the number used for symbols without a value: nested functions are not recomputed for
  /// each count.
  mutable std::map<std::pair<SymbolId, std::optional<std::int64_t>>, std::optional<std::int64_t>> values_;
  std::vector<Symbol> all_;
  std::map<std::string, SymbolId, std::less<>> by_text_;
};

} // namespace memviz::program
