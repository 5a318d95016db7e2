#pragma once

// The lines of similar ranks -> the factor by which the activations of each differ from the usual, as they do where
// batches or sequences have other lengths.

#include "analysis/ranks/rank_medians.hpp"

#include <cstddef>
#include <vector>

namespace memviz {

struct ActivationScale {
  double factor = 1;
  bool fits = false; ///< whether nine tenths of the activations have this factor, to 3 %
};

/// Returns the scale of each member of `group`, in its order; 1 where fewer than two lines hold activations.
[[nodiscard]] std::vector<ActivationScale> activation_scales(const RankTable& table, const RankGroup& group);

/// Whether the factor of a member differs from those of the others by more than chance explains.
[[nodiscard]] bool stands_out(const std::vector<ActivationScale>& scales, std::size_t member);

} // namespace memviz
