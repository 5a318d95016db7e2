#pragma once

// What a KindWatch knows when the last event has come.

#include "analysis/kinds/phases.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "base/number_map.hpp"
#include "memviz/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

/// What became of allocations that were freed.
enum class Fate : std::uint8_t {
  in_its_phase = 1, ///< freed in the phase that made it: a temporary
  in_backward = 2,  ///< made in a forward pass, freed in its backward pass
  later = 4,        ///< anything else
};

/// The fates that allocations of one stack and size had. One line may make both what is kept and what is not, a call in
/// a call: their sizes tell them apart.
class FateTable {
public:
  void add(StackId stack, std::uint64_t size_bytes, Fate fate);
  /// Whether any had this fate. Most of all allocations are temporaries, and of theirs no table is kept: in_its_phase
  /// may be told of others, too, of a few in a million up to 100,000 different ones.
  [[nodiscard]] bool has(StackId stack, std::uint64_t size_bytes, Fate fate) const;

private:
  static constexpr std::size_t kBits = std::size_t{1} << 22U;

  std::vector<bool> temporaries_; ///< a Bloom filter with two bits for each
  NumberMap fates_;               ///< of those that had another fate: the sum of these
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

  std::map<DeviceId, OfDevice> devices;
  OfDevice* current = nullptr; ///< of `current_device`: the events of one device come after the other
  DeviceId current_device;

  [[nodiscard]] OfDevice& of(DeviceId device) {
    if (current != nullptr && current_device == device) return *current;
    current_device = device;
    current = &devices[device];
    return *current;
  }
  std::optional<StackClasses> classes; ///< not to be asked for a stack once the last event has come
};

/// The engine of autograd runs in a thread of its own, without Python: where only Python's frames are recorded, what it
/// allocates has no stack.
[[nodiscard]] inline StackClass class_where_recorded(StackClass stack_class, bool has_cpp_frames) {
  return stack_class == StackClass::none && !has_cpp_frames ? StackClass::backward : stack_class;
}

} // namespace memviz
