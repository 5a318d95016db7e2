#include "program/size_expression.hpp"
#include "program/symbols.hpp"
#include "program/work_budget.hpp"

#include "memviz/error.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace memviz;
using namespace memviz::program;

namespace {

/// As it is read and written again.
std::string again(std::string_view text) {
  Symbols symbols;
  const Polynomial size = parse_size(text, symbols);
  return symbols.text(size);
}

/// Returns the value with s0 = 10 and s1 = 3.
std::int64_t value_of(std::string_view text) {
  Symbols symbols;
  (void)symbols.named("s0");
  (void)symbols.named("s1");
  symbols.set_value(*symbols.find("s0"), 10);
  symbols.set_value(*symbols.find("s1"), 3);
  return symbols.value(parse_size(text, symbols)).value();
}

} // namespace

TEST_CASE("polynomials add and multiply term by term") {
  Symbols symbols;
  const Polynomial s0 = symbols.named("s0");
  const Polynomial s1 = symbols.named("s1");
  CHECK(symbols.text((s0 + s1) * (s0 + s1)) == "s0^2 + 2*s0*s1 + s1^2");
  CHECK(symbols.text((s0 + Polynomial(1)) * (s0 + Polynomial(-1))) == "s0^2 - 1");
  CHECK((s0 + s0 * Polynomial(-1)).is_zero());
  CHECK(symbols.text(s0 * Polynomial(0)) == "0");
  CHECK(symbols.text(s0 * Polynomial(-1) + s1) == "-s0 + s1");
}

TEST_CASE("a polynomial is divided where all its coefficients are multiples") {
  Symbols symbols;
  const Polynomial sum = symbols.named("s0") * Polynomial(6) + Polynomial(4);
  CHECK(symbols.text(sum.divided_by(2).value()) == "3*s0 + 2");
  CHECK_FALSE(sum.divided_by(3).has_value());
  CHECK_FALSE(sum.divided_by(0).has_value());
}

TEST_CASE("what sizes may cost ends with the budget in force, and numbers are free") {
  Symbols symbols;
  Polynomial sum = symbols.named("s0");
  sum += symbols.named("s1");
  {
    const WorkBudget budget(100);
    Polynomial number = 1;
    for (int i = 0; i < 1000; ++i)
      number *= Polynomial(1);
    CHECK(symbols.text(sum * sum) == "s0^2 + 2*s0*s1 + s1^2");
    Polynomial power = sum;
    CHECK_THROWS_WITH_AS(
        [&] {
          for (int i = 0; i < 20; ++i)
            power *= sum;
        }(),
        "the sizes in the program take more work than its length can be meant for: they are not sizes of a real model",
        Error);
    CHECK_THROWS_AS(static_cast<void>(symbols.named(std::string(4000, 'n'))), Error);
  }
  CHECK((sum * sum * sum * sum * sum).terms().size() == 6);
}

TEST_CASE("functions whose arguments are too long to be distinguished are an error") {
  Symbols symbols;
  const Polynomial name = symbols.named(std::string(3000, 'n'));
  const Polynomial other = symbols.named(std::string(3000, 'm'));
  for (const Polynomial& argument : {name * other, name * other + Polynomial(1), name + other + name * other})
    CHECK_THROWS_AS(static_cast<void>(symbols.function(Meaning::floor, {argument, Polynomial(2)})), Error);
  CHECK(symbols.text(name * other) == "…");
  CHECK(symbols.text(name * name + name * other).size() <= kLongestSize);
}

TEST_CASE("a function has another value once its symbol has") {
  Symbols symbols;
  const Polynomial half = parse_size("s0 // 2", symbols);
  CHECK_FALSE(symbols.value(half).has_value());
  CHECK(symbols.value_or(half, 8) == 4);
  symbols.set_value(*symbols.find("s0"), 10);
  CHECK(symbols.value(half) == 5);
  symbols.set_value(*symbols.find("s0"), 20);
  CHECK(symbols.value(half) == 10);
}

TEST_CASE("a coefficient that does not fit is an error, not another number") {
  const Polynomial large = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(static_cast<void>(large + Polynomial(1)), Error);
  CHECK_THROWS_AS(static_cast<void>(large * Polynomial(2)), Error);
  Symbols symbols;
  Polynomial power = symbols.named("s0");
  symbols.set_value(*symbols.find("s0"), std::int64_t{1} << 40U);
  power *= power;
  CHECK_THROWS_AS(static_cast<void>(symbols.value(power)), Error);
}

TEST_CASE("sizes are read in sympy's two spellings") {
  CHECK(again("Symbol('s77', positive=True, integer=True)") == "s77");
  CHECK(again("Mul(Integer(2), Symbol('s77', positive=True, integer=True))") == "2*s77");
  CHECK(again("Add(Symbol('s0', integer=True), Mul(Integer(-1), Symbol('s1', integer=True)), Integer(4))") ==
        "s0 - s1 + 4");
  CHECK(again("Pow(Symbol('s0', integer=True), Integer(2))") == "s0^2");
  CHECK(again("2*s0 + (s0//2)") == "2*s0 + (s0 // 2)");
  CHECK(again("s0**2 - 1") == "s0^2 - 1");
  CHECK(again("Mod(s0, 8)") == "(s0 % 8)");
  CHECK(again("Max(1, s0)") == "max(1, s0)");
  CHECK(again("12") == "12");
  CHECK(again("FloorDiv(Integer(7), Integer(2))") == "3");
}

TEST_CASE("functions of sizes have Python's values") {
  CHECK(value_of("(s0//s1)") == 3);
  CHECK(value_of("FloorDiv(Mul(Integer(-1), Symbol('s0', integer=True)), Symbol('s1', integer=True))") == -4);
  CHECK(value_of("PythonMod(Mul(Integer(-1), Symbol('s0', integer=True)), Integer(8))") == 6);
  CHECK(value_of("CeilDiv(s0, s1)") == 4);
  CHECK(value_of("Mul(Rational(1, 2), Symbol('s0', integer=True))") == 5);
  CHECK(value_of("CeilToInt(IntTrueDiv(s0, 1))") == 10);
  CHECK(value_of("Min(s0, s1, 7)") == 3);
  CHECK(value_of("floor(s0/4)") == 2);
}

TEST_CASE("what is not understood keeps its own name, and has no value") {
  CHECK(again("BitwiseFn_and(s0, 7)") == "BitwiseFn_and(s0, 7)");
  CHECK(again("s0 +") == "s0 +");
  CHECK(again("Symbol(") == "Symbol(");
  Symbols symbols;
  CHECK_FALSE(symbols.value(parse_size("ModularIndexing(s0, 2, 3)", symbols)).has_value());
  CHECK_FALSE(symbols.value(parse_size("s0 // 0", symbols)).has_value());
  for (const char* const text :
       {"Rational(1, 0)", "Rational(1, -2)", "Rational(1, s0)", "Rational(1)", "8/0", "s0/s1", "s0/(-2)"}) {
    CAPTURE(text);
    CHECK(again(text) == text);
  }
}

TEST_CASE("an expression out of all proportion is an error") {
  Symbols symbols;
  CHECK_THROWS_AS(static_cast<void>(parse_size(std::string(5000, '1'), symbols)), Error);
  CHECK_THROWS_AS(static_cast<void>(parse_size(std::string(2000, '('), symbols)), Error);
  CHECK_THROWS_AS(static_cast<void>(parse_size("(a+b+c+d+e+f+g+h+i+j)**10", symbols)), Error);
}
