#pragma once

// The number of an element type in an exported program -> its properties that counting needs.

#include <cstdint>

namespace memviz::program {

struct ElementType {
  std::uint8_t bytes = 0; ///< 0 if the type is unknown
  bool is_floating = false;
};

/// Indexed by the numbers of ScalarType in torch/_export/serde/schema.py, which are not those of torch's own
/// ScalarType.
[[nodiscard]] ElementType element_type(std::int64_t number);

} // namespace memviz::program
