#pragma once

#include "base/json_writer.hpp"
#include "memviz/rehearsal.hpp"

#include <optional>

namespace memviz {

/// Writes "rehearsal": {"gpu": "NVIDIA H100 80GB HBM3", "profile": "h100-80", "total_bytes": 85017624576}, only for
/// rehearsed files.
inline void write_rehearsal(JsonWriter& json, const std::optional<Rehearsal>& rehearsal) {
  if (!rehearsal) return;
  json.key("rehearsal").begin_object().member("gpu", rehearsal->gpu).member("profile", rehearsal->profile);
  json.member("total_bytes", rehearsal->total_bytes).end_object();
}

} // namespace memviz
