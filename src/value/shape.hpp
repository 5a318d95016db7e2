#pragma once

// Dicts with the same keys in the same order share a shape, and each of them is a row of it. A trace of millions of
// events has a handful of shapes, and a key whose value never changes (`stream`, `compile_context`) takes no room.

#include "value/value.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace memviz {

/// The values of one key of a shape, by row. Within a chunk of rows a column stays one value until a second one comes.
class ShapeColumn {
public:
  static constexpr std::size_t kChunkRows = 4096;

  void push(std::size_t row, Value value) {
    if (row % kChunkRows == 0) chunks_.push_back({value, {}});
    Chunk& chunk = chunks_.back();
    if (chunk.values.empty()) {
      if (value == chunk.constant) return;
      spread(chunk, row);
    }
    chunk.values.push_back(value);
  }

  [[nodiscard]] Value operator[](std::size_t row) const {
    const Chunk& chunk = chunks_[row / kChunkRows];
    return chunk.values.empty() ? chunk.constant : chunk.values[row % kChunkRows];
  }

private:
  struct Chunk {
    Value constant;
    std::vector<Value> values;
  };
  static void spread(Chunk& chunk, std::size_t row);

  std::vector<Chunk> chunks_;
};

class Shape {
public:
  /// Repeated keys stay: the last one counts, as in Python.
  explicit Shape(std::vector<Value> keys) : keys_(std::move(keys)), columns_(keys_.size()) {}

  /// Adds `items`, which are key, value, key, value, ..., with this shape's keys. Returns the row.
  std::size_t push(std::span<const Value> items);

  [[nodiscard]] bool matches(std::span<const Value> items) const;
  [[nodiscard]] std::span<const Value> keys() const { return keys_; }
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const { return columns_[column][row]; }
  /// Returns the column of `key`, or -1.
  [[nodiscard]] int column_of(Value key) const;

private:
  std::vector<Value> keys_;
  std::vector<ShapeColumn> columns_;
  std::size_t row_count_ = 0;
};

} // namespace memviz
