#include "recording/keeper_kinds.hpp"

#include "recording/block_holders.hpp"
#include "recording/keeper_references.hpp"
#include "recording/keeper_roles.hpp"
#include "recording/module_names.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace memviz {
namespace {

/// The tensors of modules, among those that have one block, in the order of their names.
struct BlockTensors {
  std::optional<KeeperId> first;
  std::uint32_t first_position = 0;
  std::uint32_t count = 0;
};

class KindFinder {
public:
  explicit KindFinder(Recording& recording)
      : recording_(recording), graph_(recording.keepers), references_(references_by_object(graph_)),
        roles_(graph_, references_, recording.frames), names_(graph_, references_, recording.frames),
        holders_(block_holders(recording)), left_bytes_(kFreeBytes + kBytesPerObject * graph_.objects.size()) {}

  void add() {
    const std::vector<std::optional<MemoryKind>> kinds = kinds_of_blocks();
    const std::vector<BlockTensors> tensors = tensors_of_blocks(kinds);
    const DeclaredTable by_program = recording_.declared;
    for (const Segment& segment : recording_.end.segments)
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
        const Block& block = recording_.end.blocks[i];
        if (!kinds[i] || is_declared(by_program, segment.device, block)) continue;
        recording_.declared.push_back({.device = segment.device,
                                       .address = block.address,
                                       .size_bytes = block.size_bytes,
                                       .kind = *kinds[i],
                                       .name = name_of(tensors[i]),
                                       .evidence = KindEvidence::keepers});
      }
    std::ranges::stable_sort(recording_.declared, {}, place_of);
  }

private:
  /// Names take no more memory than a few times that of the objects.
  static constexpr std::uint64_t kBytesPerObject = 32;
  static constexpr std::uint64_t kFreeBytes = 4096;

  static std::tuple<DeviceId, std::uint64_t> place_of(const DeclaredMemory& one) { return {one.device, one.address}; }

  [[nodiscard]] static bool is_declared(const DeclaredTable& by_program, DeviceId device, const Block& block) {
    const auto found = std::ranges::lower_bound(by_program, std::tuple(device, block.address), {}, place_of);
    return found != by_program.end() && found->device == device && found->address - block.address < block.size_bytes;
  }

  [[nodiscard]] std::vector<std::optional<MemoryKind>> kinds_of_blocks() const {
    std::vector<KeeperRoles::Set> roles(recording_.end.blocks.size());
    for (const BlockHolder& holder : holders_)
      roles[holder.block] = static_cast<KeeperRoles::Set>(roles[holder.block] | roles_.of(holder.object));
    std::vector<std::optional<MemoryKind>> kinds;
    kinds.reserve(roles.size());
    for (const KeeperRoles::Set set : roles)
      kinds.push_back(KeeperRoles::kind_of(set));
    return kinds;
  }

  /// Returns the tensors whose names the blocks have: of a gradient the parameter.
  [[nodiscard]] std::vector<BlockTensors> tensors_of_blocks(const std::vector<std::optional<MemoryKind>>& kinds) const {
    std::vector<BlockTensors> tensors(kinds.size());
    for (const BlockHolder& holder : holders_) {
      if (kinds[holder.block] != MemoryKind::parameter && kinds[holder.block] != MemoryKind::gradient) continue;
      const KeeperId tensor = roles_.named_tensor(holder.object);
      const auto position = names_.position(tensor);
      if (!position) continue;
      BlockTensors& found = tensors[holder.block];
      const bool is_of_optimizer = names_.is_of_optimizer_alone(tensor);
      if (found.first && is_of_optimizer != names_.is_of_optimizer_alone(*found.first)) {
        if (is_of_optimizer) continue; // a module's name for the memory is better
        found = {};
      }
      if (!found.first || *position < found.first_position) {
        found.first = tensor;
        found.first_position = *position;
      }
      ++found.count;
    }
    return tensors;
  }

  StringId name_of(const BlockTensors& tensors) {
    if (!tensors.first) return kEmptyString;
    std::string name = names_.name(*tensors.first);
    if (name.empty() || name.size() > left_bytes_) return kEmptyString;
    if (tensors.count > 1) name += fmt::format(" and {} more", tensors.count - 1);
    left_bytes_ -= std::min<std::uint64_t>(left_bytes_, name.size());
    return recording_.frames.intern(name);
  }

  Recording& recording_;
  const KeeperGraph& graph_;
  Adjacency references_;
  KeeperRoles roles_;
  ModuleNames names_;
  std::vector<BlockHolder> holders_;
  std::uint64_t left_bytes_; ///< for names
};

} // namespace

void add_keeper_kinds(Recording& recording) {
  if (recording.keepers.storages.empty()) return;
  KindFinder(recording).add();
}

} // namespace memviz
