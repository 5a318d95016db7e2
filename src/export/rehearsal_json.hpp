#pragma once

#include "memviz/rehearsal.hpp"

#include <nlohmann/json.hpp>

namespace memviz {

/// {"gpu": "NVIDIA H100 80GB HBM3", "profile": "h100-80", "total_bytes": 85017624576}; only in the JSON of files that
/// were rehearsed.
[[nodiscard]] inline nlohmann::ordered_json rehearsal_json(const Rehearsal& rehearsal) {
  nlohmann::ordered_json result{{"gpu", rehearsal.gpu}, {"profile", rehearsal.profile}, {"total_bytes", nullptr}};
  if (rehearsal.total_bytes) result["total_bytes"] = *rehearsal.total_bytes;
  return result;
}

} // namespace memviz
