#pragma once

// The number of an element type in an exported program -> what counting needs of it.

#include <cstdint>

namespace memviz::program {

struct ElementType {
  std::uint8_t bytes = 0; ///< 0 where the type is not known
  bool is_floating = false;
};

/// By the numbers of ScalarType in torch/_export/serde/schema.py, which are not those of torch's own ScalarType.
[[nodiscard]] ElementType element_type(std::int64_t number);

} // namespace memviz::program
