#pragma once

// Changes to pickles that keep most of them pickles: of values, of opcodes, of numbers and of names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::fuzz {

/// Makes one or a few changes to `bytes`, of at most `max_bytes`. The same seed makes the same changes.
[[nodiscard]] std::string mutated(std::string_view bytes, std::size_t max_bytes, std::uint32_t seed);

/// Returns `bytes` with a value of `other` in place of one of its own.
[[nodiscard]] std::string crossed(std::string_view bytes, std::string_view other, std::size_t max_bytes,
                                  std::uint32_t seed);

} // namespace memviz::fuzz
