#pragma once

// What a KindWatch knows when the last event has come.

#include "analysis/kinds/phases.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "base/number_map.hpp"
#include "memviz/kinds.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

/// How many allocations of one stack and size were freed, by when that was.
struct Fates {
  std::uint64_t in_backward = 0;  ///< made in a forward pass, freed in its backward pass
  std::uint64_t in_its_phase = 0; ///< freed in the phase that made it
  std::uint64_t later = 0;        ///< in another one
};

/// One line may make both what is kept and what is not: a call in a call. Their sizes tell them apart.
class FateTable {
public:
  /// The fates of another one to count; null where there are too many for any training.
  [[nodiscard]] Fates* make(StackId stack, std::uint64_t size_bytes);
  /// All 0 where none was freed.
  [[nodiscard]] const Fates& of(StackId stack, std::uint64_t size_bytes) const;

private:
  NumberMap numbers_; ///< of stack and size: the index in fates_
  std::vector<Fates> fates_;
};

/// How many gradients of one size there are at once: what a backward pass made and left behind.
struct GradientCount {
  std::uint32_t epoch = 0;
  std::uint64_t in_epoch = 0;
  std::uint64_t most = 0;

  void add(std::uint32_t its_epoch);
};

struct KindWatch::Known {
  struct OfDevice {
    Phases phases;
    FateTable fates;
    std::map<std::uint64_t, GradientCount> gradients; ///< by size
  };

  ByDevice<OfDevice> devices;
  std::optional<StackClasses> classes; ///< not to be asked for a stack once the last event has come
};

/// The engine of autograd runs in a thread of its own, without Python: where only Python's frames are recorded, what it
/// allocates has no stack.
[[nodiscard]] inline StackClass class_where_recorded(StackClass stack_class, bool has_cpp_frames) {
  return stack_class == StackClass::none && !has_cpp_frames ? StackClass::backward : stack_class;
}

} // namespace memviz
