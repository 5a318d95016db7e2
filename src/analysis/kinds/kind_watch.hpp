#pragma once

// What a KindWatch knows when the last event has come.

#include "analysis/kinds/phases.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "analysis/kinds/told_kinds.hpp"
#include "base/number_map.hpp"
#include "memviz/kinds.hpp"

#include <array>
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

/// Which numbers were added: a Bloom filter, because most of all allocations are temporaries. has() may be told of
/// others, too, of a few in a million up to 100,000 different ones.
class Temporaries {
public:
  void add(std::uint64_t number);
  [[nodiscard]] bool has(std::uint64_t number) const;

private:
  static constexpr std::size_t kWords = std::size_t{1} << 16U;

  std::vector<std::uint64_t> words_;        ///< two bits of one word for each number
  std::array<std::uint64_t, 16> waiting_{}; ///< hashes of the last ones, until the memory for their bits has come
  std::size_t next_ = 0;
};

/// The fates that allocations of one stack and size had. One line may make both what is kept and what is not, a call in
/// a call: their sizes tell them apart.
class FateTable {
public:
  void add(StackId stack, std::uint64_t size_bytes, Fate fate);
  /// Whether any had this fate; for in_its_phase see Temporaries.
  [[nodiscard]] bool has(StackId stack, std::uint64_t size_bytes, Fate fate) const;

private:
  Temporaries temporaries_;
  NumberMap fates_; ///< of those that had another fate: the sum of these
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
  KindRules rules;
  std::optional<StackClasses> classes; ///< not to be asked for a stack once the last event has come, as `told`
  std::optional<ToldKinds> told;
  bool has_declarations = false;

  void look_at(StringId text) {
    if (text != kEmptyString && told->of_text(text).evidence != KindEvidence::none) has_declarations = true;
  }
};

/// The engine of autograd runs in a thread of its own, without Python: where only Python's frames are recorded, what it
/// allocates has no stack.
[[nodiscard]] inline StackClass class_where_recorded(StackClass stack_class, bool has_cpp_frames) {
  return stack_class == StackClass::none && !has_cpp_frames ? StackClass::backward : stack_class;
}

} // namespace memviz
