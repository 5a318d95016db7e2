#pragma once

// A text to hide -> eight letters and digits that represent it.

#include <string>
#include <string_view>

namespace memviz {

class Pseudonyms {
public:
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  /// "func_k3x9q2ma": 40 bits of SHA-256 over key and text, so that two of 10,000 texts collide once in 20,000 files.
  [[nodiscard]] std::string of(std::string_view prefix, std::string_view text) const;

private:
  std::string key_;
};

} // namespace memviz
