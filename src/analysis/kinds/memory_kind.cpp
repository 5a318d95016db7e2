#include "memviz/memory_kind.hpp"

namespace memviz {

std::string_view kind_name(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::parameter: return "parameter";
  case MemoryKind::gradient: return "gradient";
  case MemoryKind::optimizer_state: return "optimizer_state";
  case MemoryKind::activation: return "activation";
  case MemoryKind::input: return "input";
  case MemoryKind::temporary: return "temporary";
  case MemoryKind::communication: return "communication";
  case MemoryKind::workspace: return "workspace";
  case MemoryKind::unknown: break;
  }
  return "unknown";
}

std::string_view evidence_name(KindEvidence evidence) {
  switch (evidence) {
  case KindEvidence::frames: return "frames";
  case KindEvidence::behaviour: return "behaviour";
  case KindEvidence::none: break;
  }
  return "none";
}

} // namespace memviz
