#pragma once

// The events before a failed request -> the most that a pass holds, with or without some of its allocations.

#include "memviz/step_outlook.hpp"
#include "memviz/what_if.hpp"

#include <cstdint>
#include <functional>

namespace memviz {

/// The questions about the allocation of an event.
struct PassQuestions {
  std::function<bool(std::size_t)> is_lasting;  ///< whether it is a parameter or the optimizer's state, and alive
  std::function<bool(std::size_t)> is_gradient; ///< that is alive
  std::function<bool(std::size_t)> is_of_pass;  ///< whether a module or autograd makes it: with the first, passes begin
  std::function<bool(std::size_t)> is_backward;
  std::function<bool(std::size_t)> is_left_out;
};

struct PassPeak {
  std::uint64_t bytes = 0; ///< the most that was alive in a pass, the request included; without lasting allocations
  std::uint64_t kept_bytes = 0;    ///< the part of it that a smaller batch does not divide
  std::uint64_t before_bytes = 0;  ///< what was there before the first pass
  std::uint64_t largest_bytes = 0; ///< the largest allocation of a pass
  bool has_backward = false;       ///< whether a backward pass had begun
};

[[nodiscard]] PassPeak pass_peak(const LeadUp& lead_up, std::uint64_t request_bytes, const PassQuestions& questions);

} // namespace memviz
