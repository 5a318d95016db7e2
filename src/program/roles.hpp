#pragma once

// The products of a transformer -> the role of each in a block: keys, queries and values, scores, and so on.

#include "program/counting.hpp"
#include "program/program.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memviz::program {

struct Roles {
  std::string blocks; ///< "transformer.h"
  std::uint64_t block_count = 0;
  std::vector<std::pair<std::string, Polynomial>> lines; ///< "attention/kqv" and its operations, of one block or all
};

/// Returns no lines if no repeated modules contain attention. `products` are those of `program`.
[[nodiscard]] Roles roles_of(const Program& program, const std::vector<Product>& products);

} // namespace memviz::program
