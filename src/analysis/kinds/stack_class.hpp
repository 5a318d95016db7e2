#pragma once

// A stack -> which part of training allocates there, by the names of PyTorch's own functions and files.

#include "memviz/frames.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

enum class StackClass : std::uint8_t {
  none,            ///< no frames, or none that decides
  parameter,       ///< Module._apply and what it is behind (to, cuda, half), constructors of modules; Module::to in
                   ///< C++; what loads weights and copies them to a device; what FSDP shards and gathers
  gradient,        ///< Module._apply where it moves gradients
  optimizer_state, ///< _init_group of an optimizer, load_state_dict(); zeros_like() in one of C++
  optimizer,       ///< another line of an optimizer
  master_copy,     ///< the copies of the parameters that ZeRO's optimizer updates
  bucket,          ///< a buffer that ZeRO keeps for gradients: of all that it reduces at once, or of its own partition
  reduction,       ///< a step of FSDP or ZeRO that reduces gradients: its buffers, and what it leaves behind, gradients
  accumulate_grad, ///< the node of autograd that keeps a gradient
  backward,        ///< autograd's engine
  workspace,
  communication,
  data_loader,
  copy,        ///< Tensor.to and its like to a device, not within a module: of a batch, or of weights
  random,      ///< torch.randn() and its like, neither within a module nor in a constructor: a batch, or weights
  checkpoint,  ///< torch.load() to a device
  zeros_like,  ///< torch.zeros_like() outside of modules and optimizers
  module_call, ///< within the forward() of a module or torch.nn.functional; not what DataParallel, DDP and FSDP do to
               ///< run one
  cast_call,   ///< autocast's copy of a weight or an input to another type, within one
  cat_call,    ///< torch.cat() within one: of a cache of keys and values, where it grows
  kv_cache,    ///< a file or function that a cache of keys and values is named after
  forward,     ///< anything else
};

/// Caches the class of each stack and the marks of each text. A text is searched once, because a hostile file may have
/// a long one in each of its frames. A stack's class is computed once the stack is complete.
class StackClasses {
public:
  /// `frames` may grow.
  explicit StackClasses(const FrameTable& frames) : frames_(frames) {}

  [[nodiscard]] StackClass of(StackId stack) {
    const bool is_known = stack.value < classes_.size() && classes_[stack.value] != 0;
    return is_known ? static_cast<StackClass>(classes_[stack.value] - 1) : look_at(stack);
  }
  /// Whether any stack so far has frames of C++.
  [[nodiscard]] bool has_cpp_frames() const { return has_cpp_frames_; }

private:
  using Marks = std::uint64_t;
  [[nodiscard]] Marks marks_of(FrameId frame);
  [[nodiscard]] StackClass look_at(StackId stack);
  [[nodiscard]] StackClass classify(StackId stack);

  const FrameTable& frames_;
  std::vector<Marks> file_marks_;     ///< by text, for file names; 0: not examined
  std::vector<Marks> name_marks_;     ///< by text, for function names; 0: not examined
  std::vector<std::uint8_t> classes_; ///< by stack; the class plus one, 0: not examined
  bool has_cpp_frames_ = false;
};

} // namespace memviz
