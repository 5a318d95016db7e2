#pragma once

// The text of a JSON object -> what a page asks of the engine.

#include "memviz/device_id.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::view {

/// One question. Members that are absent have a default; all readers throw UsageError for a member of another type.
class Request {
public:
  /// Throws UsageError for anything but a JSON object.
  explicit Request(std::string_view json);
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const;
  /// Returns the number of `name`, but at most `most`.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) const;
  /// The same of what is in memory.
  [[nodiscard]] std::size_t count(std::string_view name, std::size_t otherwise, std::size_t most) const {
    return static_cast<std::size_t>(number(name, otherwise, most));
  }
  /// False by default.
  [[nodiscard]] bool flag(std::string_view name) const;
  /// The member "device"; nothing: all of them.
  [[nodiscard]] std::optional<DeviceId> device() const;
  /// The members "first" and "last" as states of a record; all of them by default.
  [[nodiscard]] Window window(std::uint32_t events) const;

private:
  struct Members;
  std::unique_ptr<Members> members_;
};

} // namespace memviz::view
