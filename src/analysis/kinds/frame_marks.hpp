#pragma once

// The texts of a frame -> marks: which part of training allocates there, according to PyTorch's own names of files and
// functions.

#include <cstdint>
#include <string_view>

namespace memviz {

/// The marks of file names and function names that rules use.
namespace mark {
enum : std::uint64_t {
  seen = 1U << 0U,
  // of file names
  python = 1U << 1U,
  module_file = 1U << 2U,  ///< torch/nn/modules/module.py
  modules_file = 1U << 3U, ///< another file of torch.nn.modules
  optimizer_file = 1U << 4U,
  graph_file = 1U << 5U, ///< torch/autograd/graph.py
  data_file = 1U << 6U,
  optimizer_base = 1U << 7U, ///< torch/optim/optimizer.py
  context_file = 1U << 8U,   ///< decorators such as torch.no_grad(), and default devices
  // of functions in C++
  workspace = 1U << 9U,
  communication = 1U << 10U,
  accumulate_grad = 1U << 11U,
  engine = 1U << 12U,
  copy = 1U << 13U,
  generic = 1U << 14U,           ///< says nothing about its caller
  module_parameters = 1U << 15U, ///< moves a module's parameters, or makes them
  optimizer = 1U << 16U,
  data_loader = 1U << 17U,
  zeros_like = 1U << 18U,
  forward = 1U << 19U,
  // of functions in Python
  call = 1U << 20U,
  apply = 1U << 21U,
  constructor = 1U << 22U,
  init_state = 1U << 23U,
  run_backward = 1U << 24U,
  step = 1U << 25U,
  closure = 1U << 26U,
  // of file names, once more
  parallel_file = 1U << 27U, ///< copies and gathers parameters
  functional_file = 1U << 28U,
  fsdp_file = 1U << 29U,       ///< FSDP's parameters, and ZeRO's
  checkpoint_file = 1U << 30U, ///< torch/serialization.py
  // of functions in Python, once more
  loader = 1U << 31U, ///< loads weights
  of_gradient = 1ULL << 32U,
  load_state = 1ULL << 33U,
  // of functions in C++, once more
  random = 1ULL << 34U,
  cast = 1ULL << 35U, ///< Tensor.to() of a type alone
  cat = 1ULL << 36U,
  autocast = 1ULL << 47U, ///< copies a weight to another type
  // of file names and functions in Python
  kv_cache = 1ULL << 37U,
  // of functions in Python, once more
  makes_weights = 1ULL << 38U, ///< create_weights() and the like of vLLM's and SGLang's layers
  // of file names, once more
  collectives_file = 1ULL << 39U, ///< FSDP's collectives
  zero_file = 1ULL << 40U,        ///< DeepSpeed's ZeRO
  // of functions in Python of FSDP and ZeRO
  gathers = 1ULL << 41U,  ///< makes a buffer of an all-gather
  reduces = 1ULL << 42U,  ///< reduces gradients, or prepares it
  buckets = 1ULL << 43U,  ///< makes the buckets into which gradients are copied
  masters = 1ULL << 44U,  ///< makes the optimizer's copies of the parameters
  flattens = 1ULL << 45U, ///< puts parameters into one tensor
  // of file names, once more
  server_file = 1ULL << 46U, ///< vLLM's and SGLang's own code
};
}

/// Returns the marks of a function's name; not 0.
[[nodiscard]] std::uint64_t name_marks(std::string_view name);
/// Returns the marks of a file's path; not 0.
[[nodiscard]] std::uint64_t file_marks(std::string_view path);

} // namespace memviz
