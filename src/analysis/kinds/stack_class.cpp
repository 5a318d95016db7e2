#include "analysis/kinds/stack_class.hpp"

#include "analysis/kinds/function_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

namespace {

/// What a file name or a function's name says, as far as it is asked for.
namespace mark {
enum : std::uint64_t {
  seen = 1U << 0U,
  // of file names
  python = 1U << 1U,
  module_file = 1U << 2U,  ///< torch/nn/modules/module.py
  modules_file = 1U << 3U, ///< another one of torch.nn.modules
  optimizer_file = 1U << 4U,
  graph_file = 1U << 5U, ///< torch/autograd/graph.py
  data_file = 1U << 6U,
  optimizer_base = 1U << 7U, ///< torch/optim/optimizer.py
  context_file = 1U << 8U,   ///< of decorators as torch.no_grad(), and of default devices
  // of functions in C++
  workspace = 1U << 9U,
  communication = 1U << 10U,
  accumulate_grad = 1U << 11U,
  engine = 1U << 12U,
  copy = 1U << 13U,
  anybodys = 1U << 14U,          ///< says nothing of who calls it
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
  fsdp_file = 1U << 29U,       ///< of FSDP's parameters
  checkpoint_file = 1U << 30U, ///< torch/serialization.py
  // of functions in Python, once more
  loader = 1U << 31U, ///< loads weights
  of_gradient = 1ULL << 32U,
  load_state = 1ULL << 33U,
  // of functions in C++, once more
  random = 1ULL << 34U,
  cast = 1ULL << 35U, ///< Tensor.to() of a type alone
  cat = 1ULL << 36U,
  // of file names and functions in Python
  kv_cache = 1ULL << 37U,
};
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t count> bool has_any(std::string_view text, const std::array<std::string_view, count>& parts) {
  for (const std::string_view part : parts)
    if (has(text, part)) return true;
  return false;
}

/// aten/src/ATen/cuda/CublasHandlePool.cpp, aten/src/ATen/native/cudnn/Conv_v8.cpp, and what cuDNN's and hipBLAS's
/// callers are called.
bool is_workspace(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames{"setWorkspaceForHandle", "getNewWorkspace", "BlasLtWorkspace",
                                                          "at::native::run_conv_plan"};
  return has_any(name, kNames) || (has(name, "Workspace") && has(name, "cudnn"));
}

bool is_communication(std::string_view name, std::string_view function) {
  // What calls a function object has its type in the arguments of a template.
  const std::string_view where = function.starts_with("std::") ? name : function;
  return has(where, "c10d::") || has(where, "nccl") || has(where, "NCCL");
}

/// Of torch::nn and torch::jit: `to`, constructors, and what these call to make parameters.
bool makes_parameters(std::string_view function) {
  static constexpr std::array<std::string_view, 3> kMoving{"torch::nn::Module::to", "torch::nn::Module::to_impl",
                                                           "torch::jit::Module::to_impl"};
  if (std::ranges::find(kMoving, function) != kMoving.end()) return true;
  if (!function.starts_with("torch::nn::") || !has(function, "Impl")) return false;
  return function.ends_with("::reset") || function.ends_with("reset_parameters") || is_constructor(function);
}

/// Whether it says nothing of who calls it: an operator, or where a thread begins.
bool is_anybodys(std::string_view function) {
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

/// Whether a file in Python, or a function, has the name of a cache of keys and values: those of transformers and vLLM
/// have.
bool is_kv_cache(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"kv_cache",       "kvcache",      "past_key_value",
                                                          "cache_utils.py", "cache_engine", "KVCache"};
  return has_any(name.substr(name.rfind('/') + 1), kNames);
}

/// A function that loads weights or keeps keys and values is one of so many innermost frames in Python.
constexpr std::size_t kNamedFrames = 4;

/// Whether it is a function in Python that loads weights, by its name.
bool is_loader(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{"from_pretrained", "set_module_tensor", "materialize_"};
  static constexpr std::array<std::string_view, 6> kWeights{"weight", "state_dict", "checkpoint",
                                                            "model",  "param",      "pretrained"};
  return has_any(name, kNames) || (has(name, "load") && has_any(name, kWeights));
}

/// What a function of PyTorch in C++ says of the part of training that calls it.
std::uint64_t library_marks(std::string_view function) {
  if (makes_parameters(function)) return mark::module_parameters;
  if (function.starts_with("torch::optim::")) return mark::optimizer;
  if (function.starts_with("torch::data::")) return mark::data_loader;
  if (function.ends_with("::forward")) return mark::forward;
  if (function.starts_with("torch::nn::")) return 0;
  if (!is_anybodys(function)) return 0;
  std::uint64_t marks = mark::anybodys;
  if (function.ends_with("::zeros_like") || function.ends_with("::zeros_like::call")) marks |= mark::zeros_like;
  if (is_random(function)) marks |= mark::random;
  if (function == "at::_ops::cat::call") marks |= mark::cat;
  return marks;
}

std::uint64_t name_marks(std::string_view name) {
  const std::string function = function_name(name);
  std::uint64_t marks = mark::seen | library_marks(function);
  if (is_workspace(name)) marks |= mark::workspace;
  if (is_communication(name, function)) marks |= mark::communication;
  if (name.starts_with("torch::autograd::AccumulateGrad")) marks |= mark::accumulate_grad;
  if (has(name, "torch::autograd::Engine::")) marks |= mark::engine;
  if (has(name, "at::native::_to_copy") || has(name, "at::_ops::_to_copy")) marks |= mark::copy;
  if (name.starts_with("at::_ops::to_dtype::")) marks |= mark::cast;
  if (is_loader(name)) marks |= mark::loader;
  if (has(name, "load_state_dict") || name == "_process_value_according_to_param_policy") marks |= mark::load_state;
  if (has(name, "grad")) marks |= mark::of_gradient;
  if (is_kv_cache(name)) marks |= mark::kv_cache;
  if (name == "_call_impl" || name == "_wrapped_call_impl") marks |= mark::call;
  if (name == "_apply" || name == "to_empty") marks |= mark::apply;
  if (name == "__init__") marks |= mark::constructor;
  if (name == "_init_group" || has(name, "init_state")) marks |= mark::init_state;
  if (name == "_engine_run_backward") marks |= mark::run_backward;
  if (name == "step") marks |= mark::step;
  if (has(name, "closure") || name == "<lambda>") marks |= mark::closure;
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
  // apex and others have theirs in folders of these names.
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
  if (has(file, "/fsdp/") && file.ends_with("_param.py")) marks |= mark::fsdp_file;
  if (is_kv_cache(file)) marks |= mark::kv_cache;
  if (file.ends_with("torch/serialization.py")) marks |= mark::checkpoint_file;
  return marks;
}

/// Python's frames, innermost first, of which the innermost may be a program's own optimizer: functions of one file,
/// and the outermost of these a step() that torch/optim/optimizer.py calls.
class OwnOptimizer {
public:
  void add(StringId file, std::uint64_t marks) {
    if (is_over_ || (marks & mark::context_file) != 0) return;
    if (is_step_ && (marks & mark::optimizer_base) != 0) is_found_ = true;
    if (!file_) file_ = file;
    is_over_ = is_found_ || *file_ != file || (marks & mark::closure) != 0;
    is_step_ = (marks & mark::step) != 0;
  }
  [[nodiscard]] bool is_found() const { return is_found_; }

private:
  std::optional<StringId> file_;
  bool is_step_ = false;
  bool is_over_ = false;
  bool is_found_ = false;
};

/// Module._apply() moves parameters, then their gradients, then buffers, after it has called itself for the modules
/// within: by the distance of the lines (64 to 77 in PyTorch 2.6 to 2.15, of parameters 25 to 33, of buffers 86 to 103)
/// one tells which.
class ApplyLines {
public:
  void add(std::int64_t line) {
    if (count_ < lines_.size()) lines_[count_++] = line;
  }
  [[nodiscard]] bool are_of_gradient() const {
    return count_ == lines_.size() && lines_[0] > lines_[1] + 50 && lines_[0] < lines_[1] + 82;
  }

private:
  std::array<std::int64_t, 2> lines_{};
  std::size_t count_ = 0;
};

} // namespace

StackClasses::Marks StackClasses::marks_of(FrameId frame) {
  const auto marks_in = [&](std::vector<Marks>& known, StringId text, auto make) {
    if (known.size() <= text.value) known.resize(frames_.string_count());
    Marks& marks = known[text.value];
    if (marks == 0) marks = make(frames_.text(text));
    return marks;
  };
  const Frame& both = frames_.frame(frame);
  return marks_in(file_marks_, both.filename, file_marks) | marks_in(name_marks_, both.name, name_marks);
}

StackClass StackClasses::classify(StackId stack) {
  const auto frames = frames_.stack(stack);
  if (frames.empty()) return StackClass::none;
  bool is_workspace = false;
  bool is_communication = false;
  bool is_accumulated = false;
  bool is_in_hook = false;
  bool is_backward = false;
  bool is_parameter = false;
  bool is_data = false;
  bool is_copy = false;
  bool is_call = false;
  bool is_zeros_like = false;
  bool is_in_forward = false;
  bool is_loader = false;
  bool is_kv_cache = false;
  bool is_cat = false;
  std::size_t python_frames = 0;
  bool is_checkpoint = false;
  bool is_load_state = false;
  bool is_sharded = false;
  bool is_gradient = false;
  bool is_constructor = false;
  bool is_cast = false;
  bool is_random = false;
  OwnOptimizer own_optimizer;
  ApplyLines apply_lines;
  Marks innermost = 0;     // of Python's
  Marks innermost_cpp = 0; // of those that are not just of PyTorch's operators
  for (const FrameId frame : frames) {
    const Marks marks = marks_of(frame);
    const auto is = [&](Marks all) { return (marks & all) == all; };
    if (is(mark::python)) {
      if (innermost == 0 && !is(mark::context_file)) innermost = marks;
      own_optimizer.add(frames_.frame(frame).filename, marks);
      if (is(mark::module_file | mark::apply)) apply_lines.add(frames_.frame(frame).line);
      is_call = is_call || is(mark::module_file | mark::call) || is(mark::functional_file);
      is_parameter = is_parameter || is(mark::module_file | mark::apply) || is(mark::modules_file | mark::constructor);
      is_backward = is_backward || is(mark::graph_file | mark::run_backward);
      is_data = is_data || is(mark::data_file);
      is_loader = is_loader || (is(mark::loader) && python_frames < kNamedFrames);
      is_kv_cache = is_kv_cache || (is(mark::kv_cache) && python_frames < kNamedFrames);
      ++python_frames;
      is_checkpoint = is_checkpoint || is(mark::checkpoint_file);
      is_load_state = is_load_state || is(mark::optimizer_base | mark::load_state);
      is_sharded = is_sharded || (is(mark::fsdp_file) && !is(mark::of_gradient));
      is_gradient = is_gradient || is(mark::fsdp_file | mark::of_gradient);
      is_constructor = is_constructor || is(mark::constructor);
      continue;
    }
    has_cpp_frames_ = true;
    is_workspace = is_workspace || is(mark::workspace);
    is_communication = is_communication || is(mark::communication);
    // Frames of Python within are those of a hook.
    is_accumulated = is_accumulated || (is(mark::accumulate_grad) && innermost == 0);
    is_in_hook = is_in_hook || (is(mark::accumulate_grad) && innermost != 0);
    is_backward = is_backward || is(mark::engine);
    is_copy = is_copy || is(mark::copy);
    is_cast = is_cast || is(mark::cast);
    is_random = is_random || is(mark::random);
    is_cat = is_cat || is(mark::cat);
    if (innermost_cpp == 0 && !is(mark::anybodys)) innermost_cpp = marks;
    is_zeros_like = is_zeros_like || is(mark::zeros_like);
    is_in_forward = is_in_forward || is(mark::forward);
  }
  if (is_workspace) return StackClass::workspace;
  if (is_communication) return StackClass::communication;
  if (is_accumulated) return StackClass::accumulate_grad;
  constexpr Marks kMakesState = mark::optimizer_file | mark::init_state;
  if (is_in_hook && (innermost & kMakesState) == kMakesState) return StackClass::optimizer_state;
  if (is_sharded && !is_gradient) return StackClass::parameter;
  if (is_backward) return StackClass::backward;
  if (innermost == 0) {
    // A thread that computes a part of an operator may do so in any phase.
    if (innermost_cpp == 0) return StackClass::none;
    // A program without Python. No optimizer of torch::optim makes a temporary by zeros_like().
    if ((innermost_cpp & mark::optimizer) != 0)
      return is_zeros_like ? StackClass::optimizer_state : StackClass::optimizer;
    is_parameter = (innermost_cpp & mark::module_parameters) != 0;
    is_data = (innermost_cpp & mark::data_loader) != 0;
    is_call = is_in_forward;
  }
  if (is_load_state) return StackClass::optimizer_state;
  // A closure that an optimizer calls runs the forward pass within its frames: only the innermost one counts.
  if ((innermost & mark::optimizer_file) != 0 || own_optimizer.is_found())
    return (innermost & mark::init_state) != 0 ? StackClass::optimizer_state : StackClass::optimizer;
  if (is_parameter) return apply_lines.are_of_gradient() ? StackClass::gradient : StackClass::parameter;
  if (is_data) return StackClass::data_loader;
  if (is_kv_cache) return StackClass::kv_cache;
  if (!is_call) {
    if (is_checkpoint) return StackClass::checkpoint;
    if (is_copy && !is_cast) return is_loader ? StackClass::parameter : StackClass::copy;
    if (is_random && !is_constructor) return StackClass::random;
    if (is_zeros_like) return StackClass::zeros_like;
  }
  if (!is_call || (innermost & mark::parallel_file) != 0) return StackClass::forward;
  return is_cat ? StackClass::cat_call : StackClass::module_call;
}

StackClass StackClasses::of(StackId stack) {
  if (classes_.size() <= stack.value) classes_.resize(frames_.stack_count());
  std::uint8_t& known = classes_[stack.value];
  if (known == 0) known = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(classify(stack)));
  return static_cast<StackClass>(known - 1);
}

} // namespace memviz
