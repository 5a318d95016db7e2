#include "export/trace_lines.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace memviz {

std::string_view action_text(const FrameTable& frames, const Event& event) {
  return event.action == Action::other ? frames.text(event.action_text) : action_name(event.action);
}

std::string allocation_name(const AllocationLife& life) {
  return fmt::format("{}{:x}_{}", life.is_segment ? 's' : 'b', life.address, life.use);
}

std::string_view bounded(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  return beginning_of(text, kMostBytes);
}

} // namespace memviz
