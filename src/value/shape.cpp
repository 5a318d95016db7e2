#include "value/shape.hpp"

#include <algorithm>

namespace memviz {

void ShapeColumn::spread(Chunk& chunk, std::size_t row) {
  // Rare shapes must stay small, and frequent ones must not grow by copying: whole chunks are used only after the
  // first.
  if (row >= kChunkRows) chunk.values.reserve(kChunkRows);
  chunk.values.assign(row % kChunkRows, chunk.constant);
}

std::size_t Shape::push(std::span<const Value> items) {
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].push(row_count_, items[2 * column + 1]);
  }
  return row_count_++;
}

bool Shape::matches(std::span<const Value> items) const {
  if (items.size() != 2 * keys_.size()) return false;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (items[2 * i] != keys_[i]) return false;
  }
  return true;
}

int Shape::column_of(Value key) const {
  const auto found = std::find(keys_.rbegin(), keys_.rend(), key);
  return found == keys_.rend() ? -1 : static_cast<int>(keys_.rend() - found) - 1;
}

} // namespace memviz
