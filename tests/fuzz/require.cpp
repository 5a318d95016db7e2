#include "require.hpp"

#include <cstdio>
#include <cstdlib>

namespace memviz::fuzz {

void require(bool holds, std::string_view what, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

} // namespace memviz::fuzz
