#include "program/symbols.hpp"

#include "program/work_budget.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace memviz::program {
namespace {

std::optional<std::int64_t> floor_of(std::int64_t dividend, std::int64_t divisor) {
  if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  const std::int64_t quotient = dividend / divisor;
  const bool is_below = dividend % divisor != 0 && (dividend < 0) != (divisor < 0);
  return is_below ? quotient - 1 : quotient;
}

std::optional<std::int64_t> ceiling_of(std::int64_t dividend, std::int64_t divisor) {
  const std::optional<std::int64_t> floor = floor_of(dividend, divisor);
  if (!floor) return std::nullopt;
  return dividend % divisor == 0 ? *floor : *floor + 1;
}

std::optional<std::int64_t> modulo_of(std::int64_t dividend, std::int64_t divisor) {
  if (divisor == 0 || divisor == -1) return divisor == 0 ? std::nullopt : std::optional<std::int64_t>(0);
  const std::int64_t rest = dividend % divisor;
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

/// Returns the value of a function for its arguments; nullopt if it has none.
std::optional<std::int64_t> applied(Meaning meaning, const std::vector<std::int64_t>& arguments) {
  switch (meaning) {
  case Meaning::floor: return floor_of(arguments[0], arguments[1]);
  case Meaning::ceiling: return ceiling_of(arguments[0], arguments[1]);
  case Meaning::modulo: return modulo_of(arguments[0], arguments[1]);
  case Meaning::max: return *std::ranges::max_element(arguments);
  case Meaning::min: return *std::ranges::min_element(arguments);
  case Meaning::name:
  case Meaning::opaque: break;
  }
  return std::nullopt;
}

std::string function_text(Meaning meaning, const std::vector<std::string>& arguments) {
  switch (meaning) {
  case Meaning::floor: return fmt::format("({} // {})", arguments[0], arguments[1]);
  case Meaning::ceiling: return fmt::format("ceil({} / {})", arguments[0], arguments[1]);
  case Meaning::modulo: return fmt::format("({} % {})", arguments[0], arguments[1]);
  case Meaning::max: return fmt::format("max({})", fmt::join(arguments, ", "));
  case Meaning::min: return fmt::format("min({})", fmt::join(arguments, ", "));
  case Meaning::name:
  case Meaning::opaque: break;
  }
  return {};
}

[[noreturn]] void throw_too_long() {
  throw Error("a size of the program is an expression of more than 4 KiB");
}

void require_fits(bool has_overflown) {
  if (has_overflown) throw Error("a count passes 2^63: the sizes are no sizes of a real model");
}

} // namespace

SymbolId Symbols::add(Symbol symbol) {
  if (symbol.text.size() > kLongestSize) throw_too_long();
  const auto known = by_text_.find(symbol.text);
  if (known != by_text_.end()) return known->second;
  spend(2 * symbol.text.size() / kTextBytesAStep); // kept twice
  const SymbolId id{static_cast<std::uint32_t>(all_.size())};
  by_text_.emplace(symbol.text, id);
  all_.push_back(std::move(symbol));
  return id;
}

Polynomial Symbols::named(std::string_view name) {
  return Polynomial::of(add({.text = std::string(name), .meaning = Meaning::name}));
}

Polynomial Symbols::opaque(std::string_view text) {
  return Polynomial::of(add({.text = std::string(text), .meaning = Meaning::opaque}));
}

Polynomial Symbols::function(Meaning meaning, const std::vector<Polynomial>& arguments) {
  std::vector<std::int64_t> numbers;
  for (const Polynomial& argument : arguments) {
    if (argument.is_number()) numbers.push_back(argument.number());
  }
  if (numbers.size() == arguments.size()) {
    if (const std::optional<std::int64_t> known = applied(meaning, numbers)) return *known;
  }
  return Polynomial::of(add({.text = written(meaning, arguments), .meaning = meaning, .arguments = arguments}));
}

std::string Symbols::written(Meaning meaning, const std::vector<Polynomial>& arguments) const {
  std::vector<std::string> texts;
  for (const Polynomial& argument : arguments) {
    const bool is_sum = argument.terms().size() > 1 && meaning != Meaning::max && meaning != Meaning::min;
    const Text bounded = bounded_text(argument);
    if (!bounded.is_whole) throw_too_long(); // otherwise two functions would be one
    texts.push_back(is_sum ? "(" + bounded.text + ")" : bounded.text);
  }
  return function_text(meaning, texts);
}

void Symbols::rename(const std::function<std::string(const std::string& text)>& renamed) {
  by_text_.clear();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Symbol& symbol = all_[i];
    // The arguments of a function come before it.
    symbol.text = symbol.arguments.empty() ? renamed(symbol.text) : written(symbol.meaning, symbol.arguments);
    by_text_.emplace(symbol.text, SymbolId{static_cast<std::uint32_t>(i)});
  }
}

std::optional<SymbolId> Symbols::find(std::string_view name) const {
  const auto known = by_text_.find(name);
  if (known == by_text_.end()) return std::nullopt;
  return known->second;
}

std::optional<std::int64_t> Symbols::value(SymbolId symbol, std::optional<std::int64_t> otherwise) const {
  const Symbol& known = all_[symbol.value];
  if (known.value) return known.value;
  if (known.arguments.empty()) return otherwise;
  const auto [remembered, is_new] = values_.try_emplace({symbol, otherwise});
  if (is_new) remembered->second = computed(known, otherwise);
  return remembered->second;
}

std::optional<std::int64_t> Symbols::computed(const Symbol& function, std::optional<std::int64_t> otherwise) const {
  std::vector<std::int64_t> arguments;
  for (const Polynomial& argument : function.arguments) {
    const std::optional<std::int64_t> number = value(argument, otherwise);
    if (!number) return std::nullopt;
    arguments.push_back(*number);
  }
  return applied(function.meaning, arguments);
}

void Symbols::set_value(SymbolId symbol, std::int64_t value) {
  all_[symbol.value].value = value;
  values_.clear();
}

std::optional<std::int64_t> Symbols::value(const Polynomial& polynomial, std::optional<std::int64_t> otherwise) const {
  std::int64_t sum = 0;
  for (const Term& term : polynomial.terms()) {
    std::int64_t product = term.factor;
    for (const SymbolId symbol : term.symbols) {
      const std::optional<std::int64_t> factor = value(symbol, otherwise);
      if (!factor) return std::nullopt;
      require_fits(__builtin_mul_overflow(product, *factor, &product));
    }
    require_fits(__builtin_add_overflow(sum, product, &sum));
  }
  return sum;
}

std::optional<std::int64_t> Symbols::value(const Polynomial& polynomial) const {
  return value(polynomial, std::nullopt);
}

std::int64_t Symbols::value_or(const Polynomial& polynomial, std::int64_t otherwise) const {
  return value(polynomial, otherwise).value_or(otherwise);
}

std::string Symbols::text(const Polynomial& polynomial) const {
  Text bounded = bounded_text(polynomial);
  if (!bounded.is_whole) bounded.text += bounded.text.empty() ? "…" : " + …";
  return std::move(bounded.text);
}

Symbols::Text Symbols::bounded_text(const Polynomial& polynomial) const {
  std::string text;
  for (const Term& term : polynomial.terms()) {
    std::string product;
    if (term.symbols.empty() || (term.factor != 1 && term.factor != -1)) product = fmt::format("{}", term.factor);
    if (term.factor == -1 && !term.symbols.empty()) product = "-";
    for (std::size_t i = 0; i < term.symbols.size();) {
      const auto end = std::upper_bound(term.symbols.begin(), term.symbols.end(), term.symbols[i]);
      const auto power = static_cast<std::size_t>(end - term.symbols.begin()) - i;
      if (!product.empty() && product != "-") product += '*';
      product += this->text(term.symbols[i]);
      if (power > 1) product += fmt::format("^{}", power);
      i += power;
      if (product.size() > kLongestSize) return {text, false};
    }
    text += text.empty() ? product : product.starts_with('-') ? " - " + product.substr(1) : " + " + product;
    if (text.size() > kLongestSize) return {text, false};
  }
  return {text.empty() ? "0" : text, true};
}

} // namespace memviz::program
