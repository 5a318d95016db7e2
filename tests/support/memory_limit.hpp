#pragma once

// Whether --max-memory can be tested: a sanitizer takes additional address space and memory.

#include "io/memory_limit.hpp"

namespace memviz::test {

inline constexpr bool kCanLimit = kCanLimitMemory;

} // namespace memviz::test
