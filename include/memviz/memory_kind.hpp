#pragma once

// What kind of memory an allocation is. The kinds are those of torch.profiler's memory timeline
// (torch/profiler/_memory_profiler.py, Category); kinds.hpp finds them.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memviz {

enum class MemoryKind : std::uint8_t {
  parameter, ///< of a module, or a buffer: both are moved to the device by the same lines of PyTorch
  gradient,
  optimizer_state,
  activation, ///< made by a forward pass and kept for the backward pass
  input,
  temporary,
  communication, ///< buffers of NCCL and torch.distributed
  workspace,     ///< of cuBLAS and cuDNN
  unknown,
};
inline constexpr std::size_t kMemoryKinds = 9;

/// "parameter", "optimizer_state", ...; "unknown".
[[nodiscard]] std::string_view kind_name(MemoryKind kind);

enum class KindEvidence : std::uint8_t {
  none,      ///< of unknown
  frames,    ///< the stack of the allocation says it
  behaviour, ///< when it was made and freed, beside forward passes, backward passes and steps of an optimizer
};
[[nodiscard]] std::string_view evidence_name(KindEvidence evidence);

struct KindOf {
  MemoryKind kind = MemoryKind::unknown;
  KindEvidence evidence = KindEvidence::none;
  friend bool operator==(const KindOf&, const KindOf&) = default;
};

} // namespace memviz
