#pragma once

// Names with several coordinates of a rank, dp0_tp3 or mp_rank_03_007 -> one number for each file, so that no two ranks
// share one.

#include "memviz/rank_names.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

/// The coordinates of a file, outermost first.
using Coordinates = std::vector<std::optional<std::uint64_t>>;

/// Returns for each name the coordinate that alone distinguishes them, else the place of its coordinates among all,
/// from 0 in ascending order. All have equally many.
[[nodiscard]] std::vector<NamedRank> ranks_of_coordinates(const std::vector<Coordinates>& coordinates);

/// Returns the same for names that all have the same words for two or more coordinates; else nullopt.
[[nodiscard]] std::optional<std::vector<NamedRank>> ranks_of_axes(const std::vector<std::string_view>& names);

/// Returns nullopt for more digits than a rank or a step has, as times have.
[[nodiscard]] std::optional<std::uint64_t> coordinate_of(std::string_view digits);

} // namespace memviz
