#pragma once

// Stacks and lives of allocations -> the kind of each: parameter, gradient, activation, ... Snapshots do not record
// kinds, so each is decided by a rule, with its evidence; a kind that no rule decides stays unknown. docs/kinds.md
// lists the rules.

#include "memviz/kind_rules.hpp"
#include "memviz/life_observer.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_state.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {

struct DeviceRecord;
struct LifeKinds;

/// Collects the facts about lives of allocations that kinds depend on: when the program was in which phase, and what
/// became of the allocations of each stack. Memory is proportional to the stacks and to the changes of phase.
class KindWatch final : public LifeObserver {
public:
  explicit KindWatch(KindRules rules = {});
  ~KindWatch() override;
  KindWatch(const KindWatch&) = delete;
  KindWatch& operator=(const KindWatch&) = delete;

  void begin(const FrameTable& frames) override;
  void allocated(DeviceId device, const Began& began, const Event& event) override;
  void freed(DeviceId device, const Began& began, std::uint64_t size_bytes) override;
  void failed(DeviceId device, EventIndex event) override;
  void ended(const MemoryState& at_end) override;
  void annotated(DeviceId device, StringId text) override;

  /// Whether a text attached to an allocation names its kind: then add_kinds() needs births to be correct.
  [[nodiscard]] bool has_declarations() const;

  struct Known;
  [[nodiscard]] const Known& known() const { return *known_; }

private:
  std::unique_ptr<Known> known_;
};

/// Adds kinds to the blocks of `state`, whose recording `watch` has seen; unknown for blocks that are not in use. Uses
/// the program's declarations, which are in births, if the state has them.
void add_kinds(MemoryState& state, const KindWatch& watch);

/// Returns the kinds of the lives of a record. `state` is any state of the record's recording.
[[nodiscard]] LifeKinds kinds_of(const DeviceRecord& record, const MemoryState& state, const KindWatch& watch);

/// Requested bytes of one kind, by the evidence for it.
struct KindAmount {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::array<std::uint64_t, kKindEvidences> bytes_by = {}; ///< by KindEvidence
};

/// Amounts indexed by MemoryKind. They add up to the requested bytes of the device, or of all devices; memory outside
/// all segments is unknown.
using KindAccount = std::array<KindAmount, kMemoryKinds>;
using KindsByDevice = std::map<DeviceId, KindAccount>;
/// Returns the totals by kind of a state that has kinds.
[[nodiscard]] KindAccount kind_account(const MemoryState& state, std::optional<DeviceId> device);
[[nodiscard]] KindsByDevice kinds_by_device(const MemoryState& state);
/// Returns the part of it, on one device, whose stacks contain code of an inference server (vLLM, SGLang).
[[nodiscard]] KindAccount server_kind_account(const MemoryState& state, DeviceId device);

/// Returns, for each stack, the kind of at least nine tenths of the bytes of its blocks in use. Omits stacks of unknown
/// or several kinds.
[[nodiscard]] std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_by_stack(const MemoryState& state);

/// Adds the amounts of another device.
void add(KindAccount& sum, const KindAccount& other);
/// Returns `whole` minus `part`; never less than 0.
[[nodiscard]] KindAccount difference(const KindAccount& whole, const KindAccount& part);
/// Returns the bytes of all kinds.
[[nodiscard]] std::uint64_t bytes_of_kinds(const KindAccount& account);
/// Whether a rule identified any of it.
[[nodiscard]] bool has_known(const KindAccount& account);

/// The amounts of a kind on two sides.
struct KindChange {
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;

  [[nodiscard]] std::int64_t delta_bytes() const { return static_cast<std::int64_t>(after_bytes - before_bytes); }
};
/// Returns the changes of kinds, largest absolute change first; empty if both sides are unknown.
[[nodiscard]] std::vector<KindChange> kind_changes(const KindAccount& before, const KindAccount& after);

} // namespace memviz
