#include "require.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace memviz::fuzz {

void require(bool holds, std::string_view what, std::string_view detail) {
  if (holds) return;
  fmt::print(stderr, "broken promise: {} {}\n", what, detail);
  std::abort();
}

} // namespace memviz::fuzz
