#pragma once

// Kinds of memory -> JSON.

#include "base/json_writer.hpp"
#include "memviz/kinds.hpp"

#include <string>

namespace memviz {

/// Writes kinds with how much is known by which evidence: "rules_bytes", "declared_bytes", "keepers_bytes",
/// "frames_bytes", "behaviour_bytes".
inline void write_kind(JsonWriter& json, MemoryKind kind, const KindAmount& amount) {
  json.begin_object().member("kind", kind_name(kind)).member("bytes", amount.bytes).member("blocks", amount.blocks);
  for (std::size_t i = 1; i < kKindEvidences; ++i)
    json.member(std::string(evidence_name(static_cast<KindEvidence>(i))) + "_bytes", amount.bytes_by[i]);
  json.end_object();
}

/// Writes only kinds that have bytes, because a file may have thousands of devices.
inline void write_kinds(JsonWriter& json, const KindAccount& account) {
  json.begin_array();
  for (std::size_t i = 0; i < account.size(); ++i)
    if (account[i].blocks > 0 || account[i].bytes > 0) write_kind(json, static_cast<MemoryKind>(i), account[i]);
  json.end_array();
}

} // namespace memviz
