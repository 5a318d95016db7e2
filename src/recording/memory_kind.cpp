#include "memviz/memory_kind.hpp"

#include <algorithm>

namespace memviz {

std::size_t kind_layer(MemoryKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kKindLayers, kind) - kKindLayers.begin());
}

std::string_view kind_label(MemoryKind kind) {
  if (kind == MemoryKind::optimizer_state) return "optimizer state";
  if (kind == MemoryKind::kv_cache) return "KV cache";
  return kind == MemoryKind::parameter_or_state ? "parameter or state" : kind_name(kind);
}

std::string_view kind_name(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter: return "parameter";
  case MemoryKind::gradient: return "gradient";
  case MemoryKind::optimizer_state: return "optimizer_state";
  case MemoryKind::activation: return "activation";
  case MemoryKind::input: return "input";
  case MemoryKind::kv_cache: return "kv_cache";
  case MemoryKind::temporary: return "temporary";
  case MemoryKind::communication: return "communication";
  case MemoryKind::workspace: return "workspace";
  case MemoryKind::parameter_or_state: return "parameter_or_optimizer_state";
  case MemoryKind::unknown: break;
  }
  return "unknown";
}

std::optional<MemoryKind> kind_of_name(std::string_view name) {
  for (std::size_t i = 0; i < kMemoryKinds; ++i)
    if (name == kind_name(static_cast<MemoryKind>(i))) return static_cast<MemoryKind>(i);
  return std::nullopt;
}

std::string_view evidence_name(KindEvidence evidence) {
  switch (evidence) {
  case KindEvidence::rules: return "rules";
  case KindEvidence::declared: return "declared";
  case KindEvidence::keepers: return "keepers";
  case KindEvidence::frames: return "frames";
  case KindEvidence::behaviour: return "behaviour";
  case KindEvidence::none: break;
  }
  return "none";
}

} // namespace memviz
