#pragma once

// Known sizes, and symbolic sizes of an exported program -> counts: polynomials in symbols, with integer coefficients.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memviz::program {

/// A size that is not a number in the program: "s0", or "(s0 // 2)", which is a function of other sizes.
struct SymbolId {
  std::uint32_t value = 0;
  friend auto operator<=>(const SymbolId&, const SymbolId&) = default;
};

/// A product of symbols times a number. A symbol to the power n is listed n times.
struct Term {
  std::vector<SymbolId> symbols; ///< ascending
  std::int64_t factor = 0;
  friend bool operator==(const Term&, const Term&) = default;
};

/// A sum of terms. Every operation throws Error if a coefficient or a power overflows, for more than 256 terms, which
/// no model reaches, and if a WorkBudget is used up.
class Polynomial {
public:
  Polynomial() = default; ///< 0
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a polynomial.
  Polynomial(std::int64_t number);
  [[nodiscard]] static Polynomial of(SymbolId symbol);

  Polynomial& operator+=(const Polynomial& more);
  Polynomial& operator*=(const Polynomial& by);
  friend Polynomial operator+(Polynomial one, const Polynomial& other) { return one += other; }
  friend Polynomial operator*(Polynomial one, const Polynomial& other) { return one *= other; }
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

  /// Returns the terms by falling powers; none for 0.
  [[nodiscard]] std::span<const Term> terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] bool is_number() const;
  /// Returns nullopt if a coefficient is not a multiple of `divisor`.
  [[nodiscard]] std::optional<Polynomial> divided_by(std::int64_t divisor) const;
  /// Returns the number of a polynomial for which is_number() holds.
  [[nodiscard]] std::int64_t number() const { return terms_.empty() ? 0 : terms_.front().factor; }

private:
  void add(Term term);
  void scale(std::int64_t by);

  std::vector<Term> terms_;
};

/// Returns the product of all.
[[nodiscard]] Polynomial product_of(std::span<const Polynomial> factors);

} // namespace memviz::program
