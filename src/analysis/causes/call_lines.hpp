#pragma once

// A stack -> the line of the user's own code, the line that called the outermost module, who called that; and the marks
// that functions of PyTorch and Python leave in it.

#include "analysis/tree/text_facts.hpp"
#include "memviz/causes.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <unordered_map>

namespace memviz {

/// The marks of a stack, and of each text in it.
namespace cause_mark {
enum : std::uint32_t {
  own = 1U << 0U,         ///< a file of the user's own
  module_file = 1U << 1U, ///< torch/nn/modules/module.py
  module_call = 1U << 2U,
  backward = 1U << 3U, ///< autograd's engine
  foreach = 1U << 4U,
  optimizer_start = 1U << 5U, ///< makes the optimizer's state
  loss = 1U << 6U,            ///< cross entropy and its parts
  softmax = 1U << 7U,         ///< not of a loss
  deep_copy = 1U << 8U,
  copy_file = 1U << 9U, ///< copy.py
  load_file = 1U << 10U,
  checkpoint_file = 1U << 11U,
  recomputes = 1U << 12U,
  cat = 1U << 13U,
  optimizer_file = 1U << 14U,
};
}

struct CallLines {
  std::uint32_t marks = 0;
  bool is_in_module = false;
  CalledLine line;
};

/// Caches its findings. `frames` must outlive it.
class CallLineFinder {
public:
  explicit CallLineFinder(const FrameTable& frames);
  [[nodiscard]] const CallLines& of(StackId stack);

private:
  [[nodiscard]] CallLines find(StackId stack);
  void add_own(CallLines& found, FrameId id) const;
  [[nodiscard]] bool is_worth_naming(FrameId caller, FrameId call) const;

  const FrameTable& frames_;
  TextFacts<std::uint32_t> names_;
  TextFacts<std::uint32_t> files_;
  std::unordered_map<std::uint32_t, CallLines> found_;
};

} // namespace memviz
