#pragma once

// A state of memory -> JSON: every segment with its blocks and holes, in address order.

#include "memviz/export.hpp"
#include "memviz/memory_state.hpp"

#include <optional>
#include <string>

namespace memviz {

struct StateSubject {
  std::string file;
  const MemoryState& state;
  std::optional<DeviceId> device; ///< nullopt: all of them
};

/// Returns one object, of the schema memviz.state. Keeps a reference to the state. Throws Error if names are out of all
/// proportion to the file.
[[nodiscard]] TextSource state_json_source(const StateSubject& subject);

} // namespace memviz
