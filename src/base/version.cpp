#include "memviz/version.hpp"

#ifndef MEMVIZ_VERSION
#error "MEMVIZ_VERSION is set by CMakeLists.txt"
#endif

namespace memviz {

std::string_view version() {
  return MEMVIZ_VERSION;
}

} // namespace memviz
