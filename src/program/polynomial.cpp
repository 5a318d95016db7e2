#include "program/polynomial.hpp"

#include "program/work_budget.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace memviz::program {
namespace {

constexpr std::size_t kMostTerms = 256;
constexpr std::size_t kMostPowers = 64;

[[noreturn]] void throw_too_large() {
  throw Error("the sizes in the program multiply to more than 2^63: they are not sizes of a real model");
}

std::int64_t checked_sum(std::int64_t one, std::int64_t other) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(one, other, &sum)) throw_too_large();
  return sum;
}

std::int64_t checked_product(std::int64_t one, std::int64_t other) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(one, other, &product)) throw_too_large();
  return product;
}

/// Higher powers first, then by symbol.
bool stands_before(const std::vector<SymbolId>& one, const std::vector<SymbolId>& other) {
  if (one.size() != other.size()) return one.size() > other.size();
  return one < other;
}

} // namespace

Polynomial::Polynomial(std::int64_t number) {
  if (number != 0) terms_.push_back({{}, number});
}

Polynomial Polynomial::of(SymbolId symbol) {
  Polynomial single;
  single.terms_.push_back({{symbol}, 1});
  return single;
}

bool Polynomial::is_number() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.front().symbols.empty());
}

void Polynomial::scale(std::int64_t by) {
  for (Term& term : terms_)
    term.factor = checked_product(term.factor, by);
  if (by == 0) terms_.clear();
}

std::optional<Polynomial> Polynomial::divided_by(std::int64_t divisor) const {
  Polynomial quotient = *this;
  for (Term& term : quotient.terms_) {
    // Also -1, for which the smallest number has no quotient.
    if (divisor <= 0 || term.factor % divisor != 0) return std::nullopt;
    term.factor /= divisor;
  }
  return quotient;
}

void Polynomial::add(Term term) {
  constexpr std::size_t kSymbolsAStep = 4;
  // A number costs no more than the text it was read from.
  if (!term.symbols.empty()) spend(1 + term.symbols.size() / kSymbolsAStep);
  const auto place = std::lower_bound(terms_.begin(), terms_.end(), term, [](const Term& left, const Term& right) {
    return stands_before(left.symbols, right.symbols);
  });
  if (place == terms_.end() || place->symbols != term.symbols) {
    if (terms_.size() == kMostTerms) throw Error("a size of the program has too many terms");
    terms_.insert(place, std::move(term));
    return;
  }
  place->factor = checked_sum(place->factor, term.factor);
  if (place->factor == 0) terms_.erase(place);
}

Polynomial& Polynomial::operator+=(const Polynomial& more) {
  if (this == &more) return *this *= Polynomial(2);
  for (const Term& term : more.terms_)
    add(term);
  return *this;
}

Polynomial& Polynomial::operator*=(const Polynomial& by) {
  if (by.is_number()) {
    scale(by.number());
    return *this;
  }
  if (is_number()) return *this = Polynomial(by) *= Polynomial(number());
  Polynomial product;
  for (const Term& left : terms_) {
    for (const Term& right : by.terms_) {
      Term term;
      term.factor = checked_product(left.factor, right.factor);
      std::merge(left.symbols.begin(), left.symbols.end(), right.symbols.begin(), right.symbols.end(),
                 std::back_inserter(term.symbols));
      if (term.symbols.size() > kMostPowers) throw Error("a size of the program has too high a power");
      product.add(std::move(term));
    }
  }
  return *this = std::move(product);
}

Polynomial product_of(std::span<const Polynomial> factors) {
  Polynomial product = 1;
  for (const Polynomial& factor : factors)
    product *= factor;
  return product;
}

} // namespace memviz::program
