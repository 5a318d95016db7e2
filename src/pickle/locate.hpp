#pragma once

// A container of a decoded document -> its offset in the pickle. Decodes again up to there, so that offsets cost
// nothing until an error needs one.

#include "value/value.hpp"

#include <cstdint>
#include <string_view>

namespace memviz::pickle {

/// Returns the offset of the opcode that made `container`, a list, tuple or dict of decode(bytes); 0 for other values.
[[nodiscard]] std::uint64_t offset_of(std::string_view bytes, Value container);

} // namespace memviz::pickle
