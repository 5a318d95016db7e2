#pragma once

// The kind of memory that an allocation is. Most kinds are those of torch.profiler's memory timeline
// (torch/profiler/_memory_profiler.py, Category); kinds.hpp finds them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

enum class MemoryKind : std::uint8_t {
  parameter, ///< of a module, or a buffer: both are moved to the device by the same lines of PyTorch
  gradient,
  optimizer_state,
  activation, ///< made by a forward pass and kept for the backward pass
  input,
  kv_cache, ///< keys and values of attention that generation keeps
  temporary,
  communication, ///< buffers of NCCL and torch.distributed
  workspace,     ///< of cuBLAS and cuDNN
  /// Older than the recording, with several blocks of its size for each gradient of that size: a parameter, or an
  /// optimizer's state or another copy of one. Nothing shows which of them.
  parameter_or_state,
  unknown,
};
inline constexpr std::size_t kMemoryKinds = 11;

/// The order in which pictures stack kinds, from the bottom up: lasting memory first, then memory that comes and goes.
inline constexpr std::array<MemoryKind, kMemoryKinds> kKindLayers{
    MemoryKind::parameter, MemoryKind::parameter_or_state, MemoryKind::optimizer_state, MemoryKind::gradient,
    MemoryKind::kv_cache,  MemoryKind::activation,         MemoryKind::input,           MemoryKind::communication,
    MemoryKind::workspace, MemoryKind::temporary,          MemoryKind::unknown};
/// Returns the kind's index in kKindLayers.
[[nodiscard]] std::size_t kind_layer(MemoryKind kind);

/// "parameter", "optimizer_state", "parameter_or_optimizer_state", ...; "unknown".
[[nodiscard]] std::string_view kind_name(MemoryKind kind);
/// For pictures: "parameter", "optimizer state", "parameter or state", ...
[[nodiscard]] std::string_view kind_label(MemoryKind kind);
/// Returns the kind of that name; nullopt if there is none.
[[nodiscard]] std::optional<MemoryKind> kind_of_name(std::string_view name);

/// The evidence for a kind, in the order in which it is considered: the first that names a kind decides.
enum class KindEvidence : std::uint8_t {
  none,      ///< for unknown kinds
  rules,     ///< a rule of the user's own (KindRules)
  declared,  ///< declared by the program: user_metadata, an annotate event, PyTorch's own tags
  keepers,   ///< shown by the objects that refer to it at the end: a module, an optimizer, `.grad`
  frames,    ///< shown by the stack of the allocation
  behaviour, ///< shown by when it was made and freed, relative to forward passes, backward passes and optimizer steps
};
inline constexpr std::size_t kKindEvidences = 6;
/// "rules", "declared", "keepers", "frames", "behaviour"; "none".
[[nodiscard]] std::string_view evidence_name(KindEvidence evidence);

struct KindOf {
  MemoryKind kind = MemoryKind::unknown;
  KindEvidence evidence = KindEvidence::none;
  friend bool operator==(const KindOf&, const KindOf&) = default;
};

} // namespace memviz
