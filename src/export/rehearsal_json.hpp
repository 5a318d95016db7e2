#pragma once

#include "base/json_object.hpp"
#include "memviz/rehearsal.hpp"

#include <optional>

namespace memviz {

inline constexpr auto kRehearsal = json_object<Rehearsal>(
    {.meaning = "Only of files that `memviz rehearse` recorded: the made-up GPU", .name = "rehearsal"},
    member("gpu", "Name of the GPU that was made up", &Rehearsal::gpu),
    member("profile", "Name of its profile", &Rehearsal::profile),
    member("total_bytes", "Its memory, bytes; null where the file does not say", &Rehearsal::total_bytes));

/// Writes "rehearsal": {"gpu": "NVIDIA H100 80GB HBM3", "profile": "h100-80", "total_bytes": 85017624576}, only for
/// rehearsed files.
inline void write_rehearsal(JsonWriter& json, const std::optional<Rehearsal>& rehearsal) {
  if (!rehearsal) return;
  json.key("rehearsal").begin_object().member("gpu", rehearsal->gpu).member("profile", rehearsal->profile);
  json.member("total_bytes", rehearsal->total_bytes).end_object();
}

} // namespace memviz
