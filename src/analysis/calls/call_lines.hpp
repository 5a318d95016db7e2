#pragma once

// A stack -> the line of the user's own code, the line that called the outermost module, who called that; and the marks
// that functions of PyTorch and Python leave in it.

#include "analysis/kinds/frame_marks.hpp"
#include "analysis/tree/text_facts.hpp"
#include "memviz/called_line.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <unordered_map>

namespace memviz {

/// Marks of texts in addition to those of analysis/kinds/frame_marks.hpp, whose bits they do not use.
namespace cause_mark {
enum : std::uint64_t {
  convolution_plan = 1ULL << 48U, ///< a way of cuDNN to compute a convolution, with its workspace
  convolution = 1ULL << 49U,      ///< of torch.nn
  own = 1ULL << 50U,              ///< a file of the user's own
  foreach = 1ULL << 51U,          ///< of an optimizer
  loss = 1ULL << 52U,             ///< cross entropy and its parts
  softmax = 1ULL << 53U,          ///< not of a loss
  deep_copy = 1ULL << 54U,        ///< with copy_file
  copy_file = 1ULL << 55U,
  recomputes = 1ULL << 56U, ///< with recompute_file
  recompute_file = 1ULL << 57U,
  gathers = 1ULL << 58U, ///< with gather_file
  gather_file = 1ULL << 59U,
  python = 1ULL << 60U,             ///< a file of Python
  embedding_backward = 1ULL << 61U, ///< the gradient of nn.Embedding's table
  own_attention = 1ULL << 62U,      ///< nn.MultiheadAttention where it calls softmax itself, for its weights
};
}

/// The innermost call of torch.utils.checkpoint in a stack. Autograd calls it where it recomputes.
struct CheckpointCall {
  std::optional<FrameId> function; ///< what it calls; nullopt: no checkpoint
  std::optional<FrameId> line;     ///< the line of the user's own code that calls it
};

struct CallLines {
  std::uint64_t marks = 0; ///< of both kinds, of all frames
  bool is_in_module = false;
  bool is_in_constructor = false; ///< whether `line` is in a constructor: memory that an object keeps by design
  CalledLine line;
  /// The line of the script that led here, if `line.caller` is unknown because the script itself makes the call.
  std::optional<FrameId> script_line;
  CheckpointCall checkpoint;
};

/// Caches its findings. `frames` must outlive it.
class CallLineFinder {
public:
  explicit CallLineFinder(const FrameTable& frames);
  [[nodiscard]] const CallLines& of(StackId stack);

private:
  [[nodiscard]] CallLines find(StackId stack);
  void add_own(CallLines& found, FrameId id) const;
  static void add_checkpoint(CheckpointCall& found, FrameId id, std::optional<FrameId> callee, std::uint64_t marks);
  [[nodiscard]] bool is_script(FrameId caller, FrameId call) const;

  const FrameTable& frames_;
  TextFacts<std::uint64_t> names_;
  TextFacts<std::uint64_t> files_;
  std::unordered_map<std::uint32_t, CallLines> found_;
};

} // namespace memviz
