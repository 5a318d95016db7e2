#pragma once

// What a KindWatch knows when the last event has come.

#include "analysis/kinds/phases.hpp"
#include "analysis/kinds/stack_class.hpp"
#include "analysis/kinds/told_kinds.hpp"
#include "base/number_map.hpp"
#include "base/saturating.hpp"
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

/// What was added, of all devices: a Bloom filter, because most of all allocations are temporaries. has() may be told
/// of others, too, of a few in a million up to 100,000 different ones.
class Temporaries {
public:
  void add(DeviceId device, std::uint64_t number);
  [[nodiscard]] bool has(DeviceId device, std::uint64_t number) const;

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
  /// `temporaries` must outlive this.
  FateTable(DeviceId device, Temporaries& temporaries) : device_(device), temporaries_(&temporaries) {}

  void add(StackId stack, std::uint64_t size_bytes, Fate fate);
  /// Whether any had this fate; for in_its_phase see Temporaries.
  [[nodiscard]] bool has(StackId stack, std::uint64_t size_bytes, Fate fate) const;

private:
  DeviceId device_;
  Temporaries* temporaries_; ///< one for all devices, because it is large and a file may have thousands of them
  NumberMap fates_;          ///< of those that had another fate: the sum of these
};

/// How many gradients of one size there are at once: what a backward pass made and left behind.
struct GradientCount {
  std::uint32_t epoch = 0;
  std::uint64_t in_epoch = 0;
  std::uint64_t most = 0;

  void add(std::uint32_t its_epoch);
};

/// What modules asked for in a forward pass.
struct CalledBytes {
  EventIndex run; ///< PhaseRun::first
  std::uint64_t bytes = 0;

  void add(const PhaseRun& its_run, std::uint64_t its_bytes) {
    bytes = its_run.first == run ? saturating_sum(bytes, its_bytes) : its_bytes;
    run = its_run.first;
  }
};

struct KindWatch::Known {
  struct OfDevice {
    OfDevice(DeviceId device, Temporaries& temporaries) : fates(device, temporaries) {}

    Phases phases;
    CalledBytes called; ///< in the last forward pass
    FateTable fates;
    std::map<std::uint64_t, GradientCount> gradients; ///< by size
  };

  Temporaries temporaries;
  std::map<DeviceId, OfDevice> devices;
  OfDevice* current = nullptr; ///< of `current_device`: the events of one device come after the other
  DeviceId current_device;

  [[nodiscard]] OfDevice& of(DeviceId device) {
    if (current != nullptr && current_device == device) return *current;
    current_device = device;
    current = &devices.try_emplace(device, device, temporaries).first->second;
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
