#include "story/perfect_allocator_words.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz {

std::string perfect_allocator_text(const PerfectAllocator& perfect) {
  const std::string needed = format_bytes(perfect.needed_bytes);
  const std::string available = format_bytes(perfect.available_bytes);
  if (!perfect.is_enough())
    return fmt::format("even a perfect allocator needs {}, more than the {} that PyTorch can have", needed, available);
  if (perfect.needed_bytes == perfect.available_bytes)
    return fmt::format("a perfect allocator needs the whole {}, so no setting saves any of it", needed);
  return fmt::format("a perfect allocator needs {} of the {}, so no setting saves more than {}", needed, available,
                     format_bytes(perfect.available_bytes - perfect.needed_bytes));
}

} // namespace memviz
