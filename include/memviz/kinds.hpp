#pragma once

// Stacks and lives of allocations -> what kind of memory each is: parameter, gradient, activation, ... A snapshot names
// no kind. So each is decided by a rule, with its evidence; what no rule decides stays unknown. docs/kinds.md has them.

#include "memviz/kind_rules.hpp"
#include "memviz/life_observer.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

struct DeviceRecord;
struct LifeKinds;

/// Remembers of the lives of allocations what their kinds follow from: when the program was in which phase, and what
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

  /// Whether a text that was attached to an allocation names its kind: then add_kinds() needs births to be true.
  [[nodiscard]] bool has_declarations() const;

  struct Known;
  [[nodiscard]] const Known& known() const { return *known_; }

private:
  std::unique_ptr<Known> known_;
};

/// Adds their kinds to the blocks of `state`, whose recording `watch` has seen; unknown for those that are not in use.
/// Births show what the program declared, where the state has them.
void add_kinds(MemoryState& state, const KindWatch& watch);

/// Returns the kinds of the lives of a record. `state` is that of the record's recording, at any moment.
[[nodiscard]] LifeKinds kinds_of(const DeviceRecord& record, const MemoryState& state, const KindWatch& watch);

/// Requested bytes of one kind, by how it is known.
struct KindAmount {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::array<std::uint64_t, kKindEvidences> bytes_by = {}; ///< by KindEvidence
};

/// By MemoryKind. Together they are the requested bytes of the device, or of all; what lies outside all segments is
/// unknown.
using KindAccount = std::array<KindAmount, kMemoryKinds>;
using KindsByDevice = std::map<DeviceId, KindAccount>;
/// Adds up the kinds of a state that has them.
[[nodiscard]] KindAccount kind_account(const MemoryState& state, std::optional<DeviceId> device);
/// Returns the part of it whose stacks have code of an inference server (vLLM, SGLang), of one device.
[[nodiscard]] KindAccount server_kind_account(const MemoryState& state, DeviceId device);

/// Returns, for each stack, the kind that nine tenths of the bytes of its blocks in use have, or more. Stacks of
/// unknown or of several kinds are left out.
[[nodiscard]] std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_by_stack(const MemoryState& state);

/// Adds what is another device's.
void add(KindAccount& sum, const KindAccount& other);
/// Returns what is left of `whole` without `part`; nothing is less than 0.
[[nodiscard]] KindAccount difference(const KindAccount& whole, const KindAccount& part);
/// Returns the bytes of all kinds.
[[nodiscard]] std::uint64_t bytes_of_kinds(const KindAccount& account);
/// Whether a rule shows any of it.
[[nodiscard]] bool has_known(const KindAccount& account);

/// The amounts of a kind on two sides.
struct KindChange {
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;

  [[nodiscard]] std::int64_t delta_bytes() const { return static_cast<std::int64_t>(after_bytes - before_bytes); }
};
/// Returns the changes of kinds, largest absolute change first; empty where both sides are unclassified.
[[nodiscard]] std::vector<KindChange> kind_changes(const KindAccount& before, const KindAccount& after);

} // namespace memviz
