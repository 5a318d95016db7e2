#pragma once

// The contexts beside the allocator's blocks and events -> stacks of a snapshot.

#include "native_stack.hpp"
#include "stack_context.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace memviz::capture {

/// First add() every context, then finish() once, then ask.
class ContextStacks {
public:
  void add(const c10::GatheredContext* context);
  /// Looks up each distinct address and each Python frame once.
  void finish(SnapshotData& snapshot);
  /// kNoStack for null and for contexts of a kind unknown here.
  [[nodiscard]] StackIndex operator[](const c10::GatheredContext* context) const;

private:
  struct Parts {
    StackIndex native = kNoStack;   ///< in `natives_`
    std::size_t python = kNoPython; ///< in `pythons_`
  };
  static constexpr std::size_t kNoPython = static_cast<std::size_t>(-1);

  std::size_t add_python(torch::CapturedTraceback* traceback);

  StackTable natives_;
  std::unordered_map<const NativeStack*, StackIndex> native_of_;
  std::vector<torch::CapturedTraceback*> pythons_;
  std::unordered_map<const c10::GatheredContext*, Parts> parts_;
  std::unordered_map<const c10::GatheredContext*, StackIndex> stacks_;
};

/// Frames of both, innermost first: as PyTorch does, a Python frame stands just inside each frame of the interpreter
/// (PyEval_EvalFrame...); those that are left, outermost.
[[nodiscard]] std::vector<std::uint32_t> merge_python(const std::vector<std::uint32_t>& native,
                                                      const std::vector<std::uint32_t>& python,
                                                      const std::vector<FrameData>& frames);

} // namespace memviz::capture
