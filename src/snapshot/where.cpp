#include "snapshot/where.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {

std::string Where::path() const {
  std::vector<const Where*> steps;
  for (const Where* step = this; step != nullptr; step = step->parent)
    steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!(*step)->key.empty()) text += (text.empty() ? "" : ".") + std::string((*step)->key);
    if ((*step)->index) text += fmt::format("[{}]", *(*step)->index);
  }
  return text;
}

void fail_at(const Where& where, Value container, std::string_view expected, std::string_view found) {
  throw SchemaError(fmt::format("expected {} for {}, found {}", expected, where.path(), found), container);
}

} // namespace memviz
