#pragma once

// Stacks and lives of allocations -> what kind of memory each is: parameter, gradient, activation, ... A snapshot names
// no kind. So each is decided by a rule, with its evidence; what no rule decides stays unknown. docs/kinds.md has them.

#include "memviz/life_observer.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace memviz {

/// Remembers of the lives of allocations what their kinds follow from: when the program was in which phase, and what
/// became of the allocations of each stack. Memory is proportional to the stacks and to the changes of phase.
class KindWatch final : public LifeObserver {
public:
  KindWatch();
  ~KindWatch() override;
  KindWatch(const KindWatch&) = delete;
  KindWatch& operator=(const KindWatch&) = delete;

  void begin(const FrameTable& frames) override;
  void allocated(DeviceId device, const Began& began) override;
  void freed(DeviceId device, const Began& began, std::uint64_t size_bytes) override;

  struct Known;
  [[nodiscard]] const Known& known() const { return *known_; }

private:
  std::unique_ptr<Known> known_;
};

/// By block index of `state`, whose recording `watch` has seen; unknown for blocks that are not in use.
[[nodiscard]] std::vector<KindOf> kinds_of(const MemoryState& state, const KindWatch& watch);

/// Requested bytes of one kind, by how it is known.
struct KindAmount {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t frames_bytes = 0;
  std::uint64_t behaviour_bytes = 0;
};

/// By MemoryKind. Together they are the requested bytes of the device, or of all; what lies outside all segments is
/// unknown.
using KindAccount = std::array<KindAmount, kMemoryKinds>;
/// Of a state that has its kinds.
[[nodiscard]] KindAccount kind_account(const MemoryState& state, std::optional<DeviceId> device);

} // namespace memviz
