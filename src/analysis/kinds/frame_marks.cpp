#include "analysis/kinds/frame_marks.hpp"

#include "analysis/kinds/function_name.hpp"
#include "analysis/kinds/sharding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace memviz {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t count> bool has_any(std::string_view text, const std::array<std::string_view, count>& parts) {
  for (const std::string_view part : parts)
    if (has(text, part)) return true;
  return false;
}

/// aten/src/ATen/cuda/CublasHandlePool.cpp, aten/src/ATen/native/cudnn/Conv_v8.cpp, and the names of the callers of
/// cuDNN and hipBLAS. The first two have no names where only exported functions do (TORCH_SYMBOLIZE_MODE=dladdr):
/// their caller allocates nothing else.
bool is_workspace(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames{"setWorkspaceForHandle", "getNewWorkspace", "BlasLtWorkspace",
                                                          "at::cuda::getCurrentCUDABlasHandle",
                                                          "at::native::run_conv_plan"};
  return has_any(name, kNames) || (has(name, "Workspace") && has(name, "cudnn"));
}

bool is_communication(std::string_view name, std::string_view function) {
  // The caller of a function object has its type in the template arguments.
  const std::string_view where = function.starts_with("std::") ? name : function;
  return has(where, "c10d::") || has(where, "nccl") || has(where, "NCCL");
}

/// Functions of torch::nn and torch::jit: `to`, constructors, and what these call to make parameters.
bool makes_parameters(std::string_view function) {
  static constexpr std::array<std::string_view, 3> kMoving{"torch::nn::Module::to", "torch::nn::Module::to_impl",
                                                           "torch::jit::Module::to_impl"};
  if (std::ranges::find(kMoving, function) != kMoving.end()) return true;
  if (!function.starts_with("torch::nn::") || !has(function, "Impl")) return false;
  return function.ends_with("::reset") || function.ends_with("reset_parameters") || is_constructor(function);
}

/// Whether it says nothing about its caller: an operator, or the start of a thread.
bool is_generic(std::string_view function) {
  static constexpr std::array<std::string_view, 6> kStarts{"at::", "aten::", "c10::", "caffe2::", "torch::", "__kmp"};
  static constexpr std::array<std::string_view, 8> kNames{"??",
                                                          "start_thread",
                                                          "clone",
                                                          "__clone",
                                                          "clone3",
                                                          "__clone3",
                                                          "gomp_thread_start",
                                                          "execute_native_thread_routine"};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return function.starts_with(start); }) ||
         std::ranges::find(kNames, function) != kNames.end();
}

/// Whether it is an operator that makes a tensor of random numbers.
bool is_random(std::string_view function) {
  static constexpr std::array<std::string_view, 6> kNames{
      "at::_ops::randn::",     "at::_ops::randn_like::", "at::_ops::rand::",
      "at::_ops::rand_like::", "at::_ops::randint",      "at::_ops::normal_float_float::"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return function.starts_with(name); });
}

/// Whether a Python file or function is named like a cache of keys and values, as in transformers and vLLM.
bool is_kv_cache(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"kv_cache",       "kvcache",      "past_key_value",
                                                          "cache_utils.py", "cache_engine", "KVCache"};
  return has_any(name.substr(name.rfind('/') + 1), kNames);
}

/// Whether a Python file belongs to vLLM's or SGLang's own code. A program may also be in a folder named after one.
bool is_server_file(std::string_view file) {
  static constexpr std::array<std::string_view, 5> kFolders{"/vllm/v1/", "/vllm/model_executor/", "/vllm/entrypoints/",
                                                            "/vllm/worker/", "/sglang/srt/"};
  return has_any(file, kFolders);
}

/// Whether it is a Python function that loads weights, by its name.
bool is_loader(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{"from_pretrained", "set_module_tensor", "materialize_"};
  static constexpr std::array<std::string_view, 6> kWeights{"weight", "state_dict", "checkpoint",
                                                            "model",  "param",      "pretrained"};
  return has_any(name, kNames) || (has(name, "load") && has_any(name, kWeights));
}

/// Whether it is a Python function with which the layers of vLLM and SGLang make their weights, or quantise and repack
/// them after reading.
bool makes_weights(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{"create_weights", "create_lora_weights",
                                                          "process_weights_after_loading"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Returns the part of training that calls this C++ function of PyTorch.
std::uint64_t library_marks(std::string_view function) {
  if (makes_parameters(function)) return mark::module_parameters;
  if (function.starts_with("torch::optim::")) return mark::optimizer;
  if (function.starts_with("torch::data::")) return mark::data_loader;
  if (function.ends_with("::forward")) return mark::forward;
  if (function.starts_with("torch::nn::")) return 0;
  if (!is_generic(function)) return 0;
  std::uint64_t marks = mark::generic;
  if (function.ends_with("::zeros_like") || function.ends_with("::zeros_like::call")) marks |= mark::zeros_like;
  if (is_random(function)) marks |= mark::random;
  if (function == "at::_ops::cat::call") marks |= mark::cat;
  return marks;
}

std::uint64_t cpp_marks(std::string_view name) {
  std::uint64_t marks = 0;
  if (name.starts_with("torch::autograd::AccumulateGrad")) marks |= mark::accumulate_grad;
  if (has(name, "torch::autograd::Engine::")) marks |= mark::engine;
  if (has(name, "at::native::_to_copy") || has(name, "at::_ops::_to_copy")) marks |= mark::copy;
  if (name.starts_with("at::_ops::to_dtype::")) marks |= mark::cast;
  if (name.starts_with("at::autocast::cached_cast")) marks |= mark::autocast;
  return marks;
}

std::uint64_t python_marks(std::string_view name) {
  std::uint64_t marks = 0;
  if (is_loader(name)) marks |= mark::loader;
  if (has(name, "load_state_dict") || name == "_process_value_according_to_param_policy") marks |= mark::load_state;
  if (makes_weights(name)) marks |= mark::makes_weights;
  if (has(name, "grad")) marks |= mark::of_gradient;
  if (is_kv_cache(name)) marks |= mark::kv_cache;
  if (name == "_call_impl" || name == "_wrapped_call_impl") marks |= mark::call;
  if (name == "_apply" || name == "to_empty") marks |= mark::apply;
  if (name == "__init__") marks |= mark::constructor;
  if (name == "_init_group" || has(name, "init_state")) marks |= mark::init_state;
  if (name == "_engine_run_backward") marks |= mark::run_backward;
  if (name == "step") marks |= mark::step;
  if (has(name, "closure") || name == "<lambda>") marks |= mark::closure;
  return marks | sharding_name_marks(name);
}

} // namespace

std::uint64_t name_marks(std::string_view name) {
  // C++ names are long and frequent: no Python function has a colon in its name.
  const bool is_cpp = has(name, "::");
  const std::string function = function_name(name);
  std::uint64_t marks = mark::seen | library_marks(function) | (is_cpp ? cpp_marks(name) : python_marks(name));
  if (is_workspace(name)) marks |= mark::workspace;
  if (is_communication(name, function)) marks |= mark::communication;
  return marks;
}

std::uint64_t file_marks(std::string_view path) {
  std::uint64_t marks = mark::seen;
  if (!path.ends_with(".py")) return marks;
  std::string file(path);
  std::ranges::replace(file, '\\', '/'); // of Windows
  marks |= mark::python;
  if (has(file, "torch/nn/modules/"))
    marks |= file.ends_with("torch/nn/modules/module.py") ? mark::module_file : mark::modules_file;
  // apex and others keep theirs in folders of these names.
  if (has(file, "/optim/") || has(file, "/optimizers/")) marks |= mark::optimizer_file;
  if (file.ends_with("torch/optim/optimizer.py")) marks |= mark::optimizer_base;
  static constexpr std::array<std::string_view, 3> kContexts{"torch/utils/_contextlib.py",
                                                             "torch/autograd/grad_mode.py", "torch/utils/_device.py"};
  if (std::ranges::any_of(kContexts, [&](std::string_view context) { return file.ends_with(context); }))
    marks |= mark::context_file;
  if (file.ends_with("torch/autograd/graph.py")) marks |= mark::graph_file;
  if (has(file, "torch/utils/data/")) marks |= mark::data_file;
  if (has(file, "torch/nn/parallel/") || has(file, "torch/distributed/")) marks |= mark::parallel_file;
  if (file.ends_with("torch/nn/functional.py")) marks |= mark::functional_file;
  marks |= sharding_file_marks(file);
  // SGLang's pools of tokens and of requests are in memory_pool.py there.
  if (is_kv_cache(file) || has(file, "sglang/srt/mem_cache/")) marks |= mark::kv_cache;
  if (is_server_file(file)) marks |= mark::server_file;
  if (file.ends_with("torch/serialization.py")) marks |= mark::checkpoint_file;
  return marks;
}

} // namespace memviz
