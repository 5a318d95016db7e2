#pragma once

// Events in order -> the facts of a KindWatch after the last one.

#include "analysis/kinds/declared_kinds.hpp"
#include "analysis/kinds/old_copies.hpp"
#include "analysis/kinds/pass_release.hpp"
#include "analysis/kinds/phases.hpp"
#include "analysis/kinds/size_facts.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "base/number_map.hpp"
#include "memviz/kinds.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

/// The fate of allocations that were freed.
enum class Fate : std::uint8_t {
  in_its_phase = 1, ///< freed in the phase that made it: a temporary
  in_backward = 2,  ///< made in a forward pass, freed in its backward pass
  later = 4,        ///< anything else
  with_pass = 8,    ///< made in a forward pass, released with its graph without a backward pass
};

/// The fates of allocations with one stack and size. One line may make both kept and temporary memory, a call within a
/// call; their sizes distinguish them.
class FateTable {
public:
  void add(StackId stack, std::uint64_t size_bytes, Fate fate);
  /// Whether any had this fate.
  [[nodiscard]] bool has(StackId stack, std::uint64_t size_bytes, Fate fate) const;
  /// Calls `take` with each stack and size; sizes of 2 GiB and more are multiples of 512.
  template <class Take> void for_each(const Take& take) const {
    fates_.for_each([&](std::uint64_t number, std::uint64_t) { take(stack_of(number), size_of(number)); });
  }

private:
  [[nodiscard]] static StackId stack_of(std::uint64_t number);
  [[nodiscard]] static std::uint64_t size_of(std::uint64_t number);

  NumberMap fates_; ///< the total of the fates by stack and size
};

/// The copies to the device that one stack made before the first forward pass and that were not freed before it:
/// weights, if there are many of several sizes.
struct Copies {
  std::uint64_t count = 0;
  std::array<std::uint64_t, 3> sizes = {}; ///< distinct ones; 0: no further ones

  void add(std::uint64_t size_bytes);
  [[nodiscard]] bool are_weights() const;
};

/// The sizes that one torch.cat() in a module requested, in the order of the events: they grow if it keeps a cache of
/// keys and values.
struct CatSizes {
  std::uint64_t last_bytes = 0;
  std::uint64_t grown = 0; ///< how often
  std::uint64_t shrunk = 0;

  void add(std::uint64_t size_bytes);
  [[nodiscard]] bool is_cache() const;
};

/// An allocation that failed within a forward pass: an exception frees the memory of the pass.
struct FailedAllocation {
  EventIndex event;
  EventIndex until = kLastPossibleEvent; ///< the next allocation
  CalledBytes called;
};

/// The engine of autograd runs in a separate thread, without Python: if only Python frames are recorded, its
/// allocations have no stack.
[[nodiscard]] inline StackClass class_where_recorded(StackClass stack_class, bool has_cpp_frames) {
  return stack_class == StackClass::none && !has_cpp_frames ? StackClass::backward : stack_class;
}

/// Whether a node of autograd makes it.
[[nodiscard]] inline bool is_of_backward(StackClass stack_class) {
  return stack_class == StackClass::backward || stack_class == StackClass::accumulate_grad ||
         stack_class == StackClass::reduction;
}

/// Whether a module made it.
[[nodiscard]] inline bool is_called(StackClass stack_class) {
  return stack_class == StackClass::module_call || stack_class == StackClass::cast_call ||
         stack_class == StackClass::cat_call;
}

/// Returns what its frames show, for memory that is older than the events or made before the first forward pass.
[[nodiscard]] inline bool may_be_parameter(StackClass stack_class) {
  switch (stack_class) {
  case StackClass::none:
  case StackClass::parameter:
  case StackClass::forward:
  case StackClass::module_call:
  case StackClass::cast_call:
  case StackClass::random:
  case StackClass::checkpoint:
  case StackClass::copy: return true;
  default: return false;
  }
}

/// An allocation by a reduction of gradients, and the next allocation.
struct Reduction {
  EventIndex event;
  EventIndex until = kLastPossibleEvent;
};

struct KindWatch::Known {
  struct OfDevice {
    Phases phases;
    CalledBytes called; ///< in the last forward pass
    FateTable fates;
    SizeTable sizes;
    std::map<StackId, Copies> copies;
    std::map<StackId, CatSizes> cats;
    std::vector<FailedAllocation> failures;
    std::vector<Reduction> reductions;
    std::vector<OldCopy> old_copies;          ///< sorted by address
    std::vector<std::uint64_t> layer_weights; ///< addresses, sorted
    struct Freed {
      StackId stack;
      std::uint64_t size_bytes = 0;
    };
    /// Whether it was made by the current backward pass and freed since its last allocation: a gradient, if the pass is
    /// over.
    std::vector<Freed> freed_last;
    PassReleases releases;
    /// The allocations that a forward pass has freed since its last allocation, and the pass as it was before.
    struct Releasing {
      CalledBytes called;
      std::vector<FreedInPass> freed;
      bool is_begun = false;
      bool is_possible = false; ///< the pass keeps much: only then `freed` is filled
    };
    Releasing releasing;
    bool shows_casts = false; ///< stacks have the C++ frames that show autocast's copies of weights

    void allocated(const Began& began, StackClass stack_class, std::uint64_t size_bytes);
    void freed(const Began& began, StackClass stack_class, std::uint64_t size_bytes);
    void failed(EventIndex event);
    /// Notes what was freed since the last allocation: `next` is the next allocation.
    void end_release(EventIndex next);
    void survived(const Began& began, StackClass stack_class, std::uint64_t size_bytes);
    /// Whether a backward pass that has reached the beginning of its forward pass has left `made`: autograd frees in
    /// reverse, so the program holds it, like the output of a model.
    [[nodiscard]] static bool is_left_by(const PhaseRun& backward, EventIndex made, EventIndex gone) {
      return made > backward.middle && gone > backward.nearly_over;
    }
    /// Returns the failure whose exception freed it, or null.
    [[nodiscard]] const FailedAllocation* unwound_by(EventIndex event) const;
    /// Whether `event` directly follows an allocation by a reduction of gradients.
    [[nodiscard]] bool is_in_reduction(EventIndex event) const;

  private:
    void note_reduction(EventIndex event, StackClass stack_class);
    void begin_run();
    void freed_in_pass(const Began& began, StackClass stack_class, std::uint64_t size_bytes);
    void go_on_backward();
    [[nodiscard]] bool is_output(const Began& began);
    void reside(StackId stack, StackClass stack_class, std::uint64_t size_bytes);
    [[nodiscard]] bool is_reducing() const {
      return !reductions.empty() && reductions.back().until == kLastPossibleEvent;
    }
    [[nodiscard]] bool is_unwinding() const { return !failures.empty() && failures.back().until == kLastPossibleEvent; }
  };

  std::map<DeviceId, OfDevice> devices;
  OfDevice* current = nullptr; ///< of `current_device`: the devices' events come one after the other
  DeviceId current_device;

  [[nodiscard]] OfDevice& of(DeviceId device) {
    if (current != nullptr && current_device == device) return *current;
    current_device = device;
    current = &devices.try_emplace(device).first->second;
    return *current;
  }
  /// The facts as far as the events have come.
  [[nodiscard]] StackClass class_of(StackId stack) {
    return class_where_recorded(classes->of(stack), classes->has_cpp_frames());
  }
  KindRules rules;
  std::optional<StackClasses> classes; ///< not to be asked for a stack after the last event, like `declared_kinds`
  std::optional<DeclaredKinds> declared_kinds;
  bool has_declarations = false;

  void look_at(StringId text) {
    if (text != kEmptyString && declared_kinds->of_text(text).evidence != KindEvidence::none) has_declarations = true;
  }
};

} // namespace memviz
