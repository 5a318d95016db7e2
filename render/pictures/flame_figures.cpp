#include "pictures/flame_figures.hpp"

#include "memviz/figures.hpp"

namespace memviz::render {

std::vector<Bar> bars_of(const MemorySubject& subject) {
  std::vector<Bar> bars;
  for (const MemoryRow& row : memory_rows(subject))
    bars.push_back({row.name, bar_parts(row.totals), row.note, row.is_detail});
  return bars;
}

} // namespace memviz::render
