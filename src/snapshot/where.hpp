#pragma once

// Where in the snapshot a value stands, as a chain on the stack that becomes text only when something is wrong.

#include "value/value.hpp"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memviz {

struct Where {
  const Where* parent = nullptr;
  std::string_view key;
  std::optional<std::size_t> index = {};

  /// "segments[3].blocks[1].size"
  [[nodiscard]] std::string path() const;
};

/// What is wrong with the content, and in which container: read_snapshot() finds out its byte offset.
class SchemaError : public std::runtime_error {
public:
  SchemaError(const std::string& message, Value container) : std::runtime_error(message), container_(container) {}
  [[nodiscard]] Value container() const noexcept { return container_; }

private:
  Value container_;
};

/// Throws SchemaError "expected WHAT for PATH, found FOUND".
[[noreturn]] void fail_at(const Where& where, Value container, std::string_view expected, std::string_view found);

} // namespace memviz
