#include "io/memory_limit.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/resource.h>

namespace memviz {

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  // Data rather than address space: since Linux 4.7 it counts private mappings, which is what malloc takes large
  // pieces from, but neither mapped files nor address space that is merely reserved.
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
    if (::setrlimit(RLIMIT_DATA, &limit) == 0) return;
  }
  throw Error("the memory of the program cannot be limited: " + system_message(errno));
}

} // namespace memviz
