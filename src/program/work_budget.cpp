#include "program/work_budget.hpp"

#include "memviz/error.hpp"

#include <optional>

namespace memviz::program {
namespace {

// Polynomials are values with operators, to which a budget cannot be passed.
thread_local std::optional<std::uint64_t> steps_left;

} // namespace

WorkBudget::WorkBudget(std::uint64_t steps) {
  steps_left = steps;
}

WorkBudget::~WorkBudget() {
  steps_left.reset();
}

void spend(std::uint64_t steps) {
  if (!steps_left) return;
  if (steps > *steps_left)
    throw Error("the sizes in the program take more work than its length can be meant for: they are not sizes of a "
                "real model");
  *steps_left -= steps;
}

} // namespace memviz::program
