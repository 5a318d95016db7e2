#include "memviz/version.hpp"

#if !defined MEMVIZ_VERSION || !defined MEMVIZ_DATE
#error "CMakeLists.txt defines these"
#endif

namespace memviz {

std::string_view version() {
  return MEMVIZ_VERSION;
}

std::string_view release_date() {
  return MEMVIZ_DATE;
}

} // namespace memviz
