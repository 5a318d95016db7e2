#include "program/size_expression.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace memviz::program {
namespace {

constexpr std::size_t kMostLevels = 100;
constexpr std::int64_t kHighestPower = 16;

/// Thrown for a text that this parser does not know; parse_size() makes an opaque symbol of it.
struct NotUnderstood {};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Parses a number that may be a fraction: srepr writes s0/2 as a product with Rational(1, 2).
struct Fraction {
  Polynomial dividend;
  std::int64_t divisor = 1;
};

class Parser {
public:
  Parser(std::string_view text, Symbols& symbols) : text_(text), symbols_(symbols) {}

  Polynomial parse() {
    Polynomial whole = exact(sum());
    if (peek() != '\0') throw NotUnderstood{};
    return whole;
  }

private:
  Polynomial exact(const Fraction& fraction) {
    if (fraction.divisor == 1) return fraction.dividend;
    return symbols_.function(Meaning::floor, {fraction.dividend, Polynomial(fraction.divisor)});
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view word) {
    peek();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void need(std::string_view word) {
    if (!take(word)) throw NotUnderstood{};
  }

  Fraction sum() {
    if (++level_ > kMostLevels) throw Error("a size of the program is nested more than 100 levels deep");
    Fraction total = product();
    while (peek() == '+' || peek() == '-') {
      const bool is_minus = text_[at_++] == '-';
      Fraction more = product();
      if (is_minus) more.dividend *= Polynomial(-1);
      total = added(total, more);
    }
    --level_;
    return total;
  }

  Fraction added(const Fraction& one, const Fraction& other) {
    if (one.divisor == other.divisor) return {one.dividend + other.dividend, one.divisor};
    return {exact(one) + exact(other), 1};
  }

  static std::int64_t multiplied(std::int64_t one, std::int64_t other) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(one, other, &product)) throw Error("a size of the program does not fit in 64 bits");
    return product;
  }

  static Fraction multiplied(const Fraction& one, const Fraction& other) {
    return {one.dividend * other.dividend, multiplied(one.divisor, other.divisor)};
  }

  Fraction product() {
    Fraction total = power();
    for (;;) {
      if (take("//")) {
        total = {symbols_.function(Meaning::floor, {exact(total), exact(power())}), 1};
      } else if (take("%")) {
        total = {symbols_.function(Meaning::modulo, {exact(total), exact(power())}), 1};
      } else if (take("/")) {
        const Polynomial divisor = exact(power());
        if (!divisor.is_number() || divisor.number() <= 0) throw NotUnderstood{};
        total.divisor = multiplied(total.divisor, divisor.number());
      } else if (peek() == '*' && !text_.substr(at_).starts_with("**")) {
        ++at_;
        total = multiplied(total, power());
      } else {
        return total;
      }
    }
  }

  Fraction power() {
    if (take("-")) return multiplied({Polynomial(-1)}, power_without_sign());
    return power_without_sign();
  }
  Fraction power_without_sign() {
    Fraction base = atom();
    if (!take("**") && !take("^")) return base;
    return raised(base, atom());
  }
  static Fraction raised(const Fraction& base, const Fraction& exponent) {
    if (exponent.divisor != 1 || !exponent.dividend.is_number()) throw NotUnderstood{};
    const std::int64_t times = exponent.dividend.number();
    if (times < 0 || times > kHighestPower) throw NotUnderstood{};
    Fraction result{Polynomial(1)};
    for (std::int64_t i = 0; i < times; ++i)
      result = multiplied(result, base);
    return result;
  }

  Fraction atom() {
    if (take("(")) {
      Fraction inner = sum();
      need(")");
      return inner;
    }
    const std::string_view word = name();
    if (word.empty()) throw NotUnderstood{};
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      const auto number = whole_number<std::int64_t>(word);
      if (!number) throw NotUnderstood{};
      return {Polynomial(*number)};
    }
    if (peek() != '(') return {symbols_.named(word)};
    ++at_;
    if (word == "Symbol") return {quoted_symbol()};
    return call(word);
  }

  std::string_view name() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_]))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Parses the rest after "Symbol(": 's77', positive=True, integer=True)
  Polynomial quoted_symbol() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') throw NotUnderstood{};
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) throw NotUnderstood{};
    const std::string_view named = text_.substr(at_ + 1, end - at_ - 1);
    const std::size_t close = text_.find(')', end);
    if (named.empty() || close == std::string_view::npos) throw NotUnderstood{};
    at_ = close + 1;
    return symbols_.named(named);
  }

  std::vector<Fraction> arguments() {
    std::vector<Fraction> all;
    if (take(")")) return all;
    do {
      all.push_back(sum());
    } while (take(","));
    need(")");
    return all;
  }

  Polynomial of_two(Meaning meaning, const std::vector<Fraction>& given) {
    if (given.size() != 2) throw NotUnderstood{};
    return symbols_.function(meaning, {exact(given[0]), exact(given[1])});
  }

  Polynomial of_all(Meaning meaning, const std::vector<Fraction>& given) {
    if (given.empty()) throw NotUnderstood{};
    std::vector<Polynomial> exact_ones;
    for (const Fraction& one : given)
      exact_ones.push_back(exact(one));
    return symbols_.function(meaning, exact_ones);
  }

  /// Returns a rounded fraction, as in floor(s0/2).
  Polynomial rounded(Meaning meaning, const std::vector<Fraction>& given) {
    if (given.size() != 1) throw NotUnderstood{};
    if (given[0].divisor == 1) return given[0].dividend;
    return symbols_.function(meaning, {given[0].dividend, Polynomial(given[0].divisor)});
  }

  /// The functions of torch/utils/_sympy/functions.py that occur in sizes, and sympy's own.
  Fraction call(std::string_view function) {
    const std::vector<Fraction> given = arguments();
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, function) != names.end();
    };
    if (is_one_of({"Add"}) && !given.empty()) {
      Fraction total = given.front();
      for (std::size_t i = 1; i < given.size(); ++i)
        total = added(total, given[i]);
      return total;
    }
    if (is_one_of({"Mul"}) && !given.empty()) {
      Fraction total = given.front();
      for (std::size_t i = 1; i < given.size(); ++i)
        total = multiplied(total, given[i]);
      return total;
    }
    if (is_one_of({"Integer", "Identity", "ToFloat"}) && given.size() == 1) return given.front();
    if (is_one_of({"Rational"}) && given.size() == 2) {
      const Polynomial divisor = exact(given[1]);
      if (!divisor.is_number() || divisor.number() <= 0) throw NotUnderstood{};
      return {exact(given[0]), divisor.number()};
    }
    if (is_one_of({"Pow", "PowByNatural"}) && given.size() == 2) return raised(given[0], given[1]);
    if (is_one_of({"FloorDiv", "CleanDiv", "IntTrueDiv"})) return {of_two(Meaning::floor, given)};
    if (is_one_of({"CeilDiv"})) return {of_two(Meaning::ceiling, given)};
    if (is_one_of({"Mod", "PythonMod"})) return {of_two(Meaning::modulo, given)};
    if (is_one_of({"Max"})) return {of_all(Meaning::max, given)};
    if (is_one_of({"Min"})) return {of_all(Meaning::min, given)};
    if (is_one_of({"floor", "FloorToInt", "TruncToInt"})) return {rounded(Meaning::floor, given)};
    if (is_one_of({"ceiling", "CeilToInt"})) return {rounded(Meaning::ceiling, given)};
    throw NotUnderstood{};
  }

  std::string_view text_;
  Symbols& symbols_;
  std::size_t at_ = 0;
  std::size_t level_ = 0;
};

} // namespace

Polynomial parse_size(std::string_view text, Symbols& symbols) {
  if (text.size() > kLongestSize) throw Error("a size of the program is an expression of more than 4 KiB");
  try {
    return Parser(text, symbols).parse();
  } catch (const NotUnderstood&) {
    return symbols.opaque(text);
  }
}

} // namespace memviz::program
