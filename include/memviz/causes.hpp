#pragma once

// The memory in use at a moment -> the causes that a colleague who has seen them before would name, each with its
// bytes. A cause is a fact about stacks and lives of blocks; how to remove it is advice (explain_words.hpp).

#include "memviz/called_line.hpp"
#include "memviz/step_outlook.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memviz {

enum class CauseKind : std::uint8_t {
  outside,             ///< other processes and libraries hold a large part of the device
  large_request,       ///< N x N values, where two tensors of N values are alive, and more than all memory in use
  kept_graphs,         ///< several passes of a module are alive with what their backward passes need
  kept_outputs,        ///< one block of each of many calls is alive
  earlier_failure,     ///< made before an earlier out-of-memory error of the same recording, and alive
  foreach_temporaries, ///< of the optimizer's foreach implementation
  logits,              ///< logits, their copies, and what the loss makes of them
  attention_scores,    ///< softmax over attention scores, and blocks of the same size
  recomputed,          ///< by one torch.utils.checkpoint, all at once
  copied_weights,      ///< by copy.deepcopy()
  loaded_weights,      ///< by torch.load() to the device, and again elsewhere
  gathered,            ///< outputs of all replicas, by torch.nn.DataParallel
  growth,              ///< more from step to step, by find_leaks()
  concatenation,       ///< torch.cat() makes a new tensor while the old one is alive
  made_at_once,        ///< many blocks of one line that allocated them in one go, of which none was freed
  dense_gradient,      ///< of an embedding, as large as its table
  repeated_state,      ///< of several optimizers for the same parameters
  untrained,           ///< kept by autograd for parameters that no optimizer updates
  fragmentation,       ///< free memory in pieces that are too small
  varying_sizes,       ///< reserved beyond what was ever requested, for lines whose sizes vary from call to call
  activations,         ///< of the pass that runs, as far as it has come
  training_state,      ///< gradients and the optimizer's state
  weights,             ///< parameters, with neither gradients nor the optimizer's state
};
inline constexpr std::size_t kCauseKinds = 23;

/// "outside", "large_request", "kept_graphs", ...
[[nodiscard]] std::string_view cause_name(CauseKind kind);

/// Whether every program of its kind has it: activations, training state, weights. The others are mistakes, or memory
/// in pieces.
[[nodiscard]] bool is_usual(CauseKind kind);

struct Cause {
  CauseKind kind = CauseKind::outside;
  std::uint64_t bytes = 0;  ///< requested, and of the request itself where it is part of it
  std::uint64_t blocks = 0; ///< alive
  /// The earlier calls whose blocks are alive, for kept_graphs and kept_outputs; the steps, for growth; the allocations
  /// of `line`, for varying_sizes; the optimizers, for repeated_state; the parameters, for
  /// untrained; else 0.
  std::uint64_t calls = 0;
  std::uint64_t sizes = 0; ///< of varying_sizes: the different sizes that `line` asked for
  /// The N of large_request: the request is N x N values, and two tensors of N values are alive; else 0.
  std::uint64_t square_of = 0;
  std::uint64_t value_bytes = 0; ///< the size of one of these values
  bool has_request = false;      ///< whether the request is part of `bytes`
  /// For kept_graphs: whether a backward pass ran between these calls. For activations: whether one followed an earlier
  /// call by the same lines, or the first step shows training.
  bool has_backward = false;
  bool keeps_graph = false; ///< for activations: whether so much of the pass is alive that a graph keeps it
  /// For activations: whether keepers show an optimizer, and no backward pass has run before, as in the first step of
  /// training.
  bool is_first_training = false;
  bool is_own_attention = false; ///< for attention_scores: whether nn.MultiheadAttention makes them
  /// For activations, the equal groups of parameters; 0 unless the pass is among them, and no pass before shows its
  /// rest.
  std::uint64_t layers = 0;
  std::uint64_t layers_done = 0;   ///< equal groups of blocks that the pass has made
  std::uint64_t to_come_bytes = 0; ///< a lower bound: of activations if these groups correspond
  /// The step if nothing of this cause is allocated. Known for causes that functions in stacks show, if the pass before
  /// or the first step shows what else the program needs.
  StepEffect without = {};
  /// The line with the most of these bytes. If nothing else calls it, its caller is the script's line; for recomputed,
  /// the line that called the checkpoint.
  CalledLine line = {};
};

} // namespace memviz
