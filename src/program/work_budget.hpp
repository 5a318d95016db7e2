#pragma once

// The limit of the work for the sizes of a program. A few bytes can request a power of a sum or a long sum at every
// node, so the work and the memory of polynomials are limited by the size of the program: a program of torch.export has
// kilobytes for each term that it produces.

#include <cstdint>

namespace memviz::program {

inline constexpr std::uint64_t kTextBytesAStep = 16;

/// During its lifetime, spend() in this thread draws on it. Only one may exist at a time.
class WorkBudget {
public:
  explicit WorkBudget(std::uint64_t steps);
  ~WorkBudget();
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;
};

/// Takes steps: one is about one new term of a polynomial, or kTextBytesAStep of text. Throws Error if the budget is
/// used up; without a budget there is no limit.
void spend(std::uint64_t steps);

} // namespace memviz::program
