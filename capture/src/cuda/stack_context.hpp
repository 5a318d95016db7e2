#pragma once

// What the caching allocator keeps beside each block and event: the stack of the thread, as raw return addresses. Equal
// stacks share one context, so an event costs the allocator's own entry and no more; Python's frames, where an
// interpreter is in the process, are kept per event by PyTorch's own traceback.
//
// Blocks that outlive a recording keep their contexts, and PyTorch's own snapshot takes contexts for its tracebacks: it
// fails for any other type. So a context is one, too: with Python's frames or, without an interpreter, with none.

#include <c10/core/Allocator.h>
#include <torch/csrc/profiler/combined_traceback.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace memviz::capture {

using NativeStack = std::vector<void*>; ///< innermost first

struct StackContext final : torch::CapturedTraceback {
  StackContext() = default;
  /// Takes over the traceback where this LibTorch lets it be moved; older ones do not.
  template <class Traceback>
  requires std::is_move_constructible_v<Traceback>
  explicit StackContext(std::shared_ptr<Traceback> gathered)
      : torch::CapturedTraceback(std::move(*gathered)), python(this) {}
  template <class Traceback>
  explicit StackContext(std::shared_ptr<Traceback> gathered) : python(gathered.get()), held(std::move(gathered)) {}

  std::shared_ptr<const NativeStack> native; ///< may be null
  torch::CapturedTraceback* python =
      nullptr; ///< with Python's frames: this, or what is held; null where there are none
  std::shared_ptr<torch::CapturedTraceback> held;
};

/// What gather_context() gathers from now on, and how many bytes the distinct native stacks may take. Beyond that,
/// stacks that the allocator holds no more make room for new ones; if there are none, what is gathered has no native
/// stack.
void start_gathering(bool native, std::size_t max_bytes);
/// Forgets the shared stacks; the allocator may still hold some.
void stop_gathering();
/// How many times since start_gathering() there was no room for a native stack.
[[nodiscard]] std::uint64_t stacks_left_out();
/// Whether Python's frames are gathered, as of start_gathering().
[[nodiscard]] bool has_python();

/// For recordHistory: a plain function, never throws; null when nothing could be gathered.
[[nodiscard]] std::shared_ptr<c10::GatheredContext> gather_context();

} // namespace memviz::capture
