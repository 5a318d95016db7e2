#include "analysis/kinds/stack_class.hpp"

#include <array>
#include <string_view>

namespace memviz {

namespace {

namespace mark {
enum : std::uint16_t {
  seen = 1,
  python = 2,
  workspace = 4,
  communication = 8,
  accumulate_grad = 16,
  engine = 32,
  optimizer = 64,
  optimizer_init = 128,
  parameter = 256,
  data_loader = 512,
  copy = 1024,
  call = 2048,
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

/// aten/src/ATen/cuda/CublasHandlePool.cpp, and what cuDNN's and hipBLAS's callers are called.
bool is_workspace(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{"setWorkspaceForHandle", "getNewWorkspace",
                                                          "BlasLtWorkspace"};
  return has_any(name, kNames) || (has(name, "Workspace") && has(name, "cudnn"));
}

std::uint16_t cpp_marks(std::string_view name) {
  std::uint16_t marks = 0;
  if (is_workspace(name)) marks |= mark::workspace;
  if (has(name, "c10d::") || has(name, "nccl") || has(name, "NCCL")) marks |= mark::communication;
  if (name.starts_with("torch::autograd::AccumulateGrad")) marks |= mark::accumulate_grad;
  if (has(name, "torch::autograd::Engine::")) marks |= mark::engine;
  if (has(name, "at::native::_to_copy") || has(name, "at::_ops::_to_copy")) marks |= mark::copy;
  return marks;
}

std::uint16_t module_marks(std::string_view name, std::string_view file) {
  if (file.ends_with("torch/nn/modules/module.py")) {
    if (name == "_call_impl" || name == "_wrapped_call_impl") return mark::call;
    return name == "_apply" || name == "to_empty" ? mark::parameter : 0;
  }
  if (has(file, "torch/nn/modules/") && name == "__init__") return mark::parameter;
  return 0;
}

std::uint16_t python_marks(std::string_view name, std::string_view file) {
  std::uint16_t marks = mark::python | module_marks(name, file);
  // apex and others have theirs in folders of these names.
  static constexpr std::array<std::string_view, 2> kOptimizers{"/optim/", "/optimizers/"};
  if (has_any(file, kOptimizers)) {
    marks |= mark::optimizer;
    if (name == "_init_group" || has(name, "init_state")) marks |= mark::optimizer_init;
  }
  if (file.ends_with("torch/autograd/graph.py") && name == "_engine_run_backward") marks |= mark::engine;
  if (has(file, "torch/utils/data/")) marks |= mark::data_loader;
  return marks;
}

} // namespace

StackClasses::Marks StackClasses::marks_of(FrameId frame) {
  if (marks_.size() <= frame.value) marks_.resize(frames_.frame_count());
  Marks& marks = marks_[frame.value];
  if (marks != 0) return marks;
  const std::string_view file = frames_.filename(frame);
  const std::string_view name = frames_.name(frame);
  marks = mark::seen;
  marks |= file.ends_with(".py") ? python_marks(name, file) : cpp_marks(name);
  return marks;
}

StackClass StackClasses::classify(StackId stack) {
  const auto frames = frames_.stack(stack);
  if (frames.empty()) return StackClass::none;
  Marks all = 0;
  Marks innermost = 0; // of Python's
  for (const FrameId frame : frames) {
    const Marks marks = marks_of(frame);
    all |= marks;
    if ((marks & mark::python) == 0)
      has_cpp_frames_ = true;
    else if (innermost == 0)
      innermost = marks;
  }
  const auto is = [&](Marks marks) { return (all & marks) != 0; };
  if (is(mark::workspace)) return StackClass::workspace;
  if (is(mark::communication)) return StackClass::communication;
  if (is(mark::accumulate_grad)) return StackClass::accumulate_grad;
  if (is(mark::engine)) return StackClass::backward;
  // A closure that an optimizer calls runs the forward pass within its frames: only the innermost one counts.
  if ((innermost & mark::optimizer_init) != 0) return StackClass::optimizer_state;
  if ((innermost & mark::optimizer) != 0) return StackClass::optimizer;
  if (is(mark::parameter)) return StackClass::parameter;
  if (is(mark::data_loader)) return StackClass::data_loader;
  return is(mark::copy) && !is(mark::call) ? StackClass::copy : StackClass::forward;
}

StackClass StackClasses::of(StackId stack) {
  if (classes_.size() <= stack.value) classes_.resize(frames_.stack_count());
  std::uint8_t& known = classes_[stack.value];
  if (known == 0) known = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(classify(stack)));
  return static_cast<StackClass>(known - 1);
}

} // namespace memviz
