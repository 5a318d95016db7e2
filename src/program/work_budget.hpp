#pragma once

// The limit of what the sizes of a program may cost. A few bytes can request a sum to a power or a long sum at every
// node, so the work and the memory of polynomials are limited by the size of the program: a program of torch.export
// has kilobytes for each term that it makes.

#include <cstdint>

namespace memviz::program {

inline constexpr std::uint64_t kTextBytesAStep = 16;

/// While it lives, spend() in this thread draws on it. One at a time.
class WorkBudget {
public:
  explicit WorkBudget(std::uint64_t steps);
  ~WorkBudget();
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;
};

/// A step is about one term of a polynomial, or kTextBytesAStep of text, that are made. Throws Error where more are
/// taken than the budget has; without one all are free.
void spend(std::uint64_t steps);

} // namespace memviz::program
