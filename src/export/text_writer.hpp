#pragma once

// Many short texts -> few long pieces for a sink.

#include "memviz/export.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace memviz {

class TextWriter {
public:
  /// `sink` must outlive this object, which passes it the last piece only at flush().
  explicit TextWriter(const TextSink& sink) : sink_(sink) {}

  void add(std::string_view text) {
    add(text, [](char c) { return c; });
  }
  /// Writes each byte as `change` returns it.
  template <class Change> void add(std::string_view text, Change change) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, kPieceBytes);
      std::ranges::transform(part, std::back_inserter(piece_), change);
      text.remove_prefix(part.size());
      if (piece_.size() >= kPieceBytes) flush();
    }
  }
  void flush() {
    sink_(piece_);
    piece_.clear();
  }

private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;

  const TextSink& sink_;
  std::string piece_;
};

} // namespace memviz
