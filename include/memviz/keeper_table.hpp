#pragma once

// The blocks of a state or a timeline -> who keeps each at the end of the recording: pictures colour and describe
// blocks by it. Blocks that were freed before have no keeper.

#include "memviz/flame.hpp"
#include "memviz/keeper_answers.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace memviz {

/// The value for a block without a keeper.
inline constexpr std::uint32_t kNoKeeper = std::numeric_limits<std::uint32_t>::max();

/// Every keeper of a recording.
struct KeeperTable {
  KeeperPaths paths;
  /// Each variable, with what it keeps on all devices, and in the same way each beginning of paths that have no
  /// variable: cycles, temporaries, no Python object. Most bytes first.
  std::vector<KeptVariable> keepers;
  std::vector<std::uint32_t> keeper_of_path; ///< by PathId: an index into `keepers`; kNoKeeper if it leads to no block
  KeeperLimit limit = KeeperLimit::none;
};

[[nodiscard]] KeeperTable keeper_table(const KeeperAnswers& answers);

/// Returns a keeper as a node of a tree or a line of a chart: its last step, with file and line of its root.
[[nodiscard]] KeeperStep keeper_key(const KeptVariable& keeper);

/// The keeper of a block at the end.
struct BlockPath {
  PathId path = kNoPath; ///< kNoPath: none is known, because the block was freed before
  ItemId item = kNoItem; ///< of the path
  friend bool operator==(const BlockPath&, const BlockPath&) = default;
};

/// Finds the keepers of blocks by their addresses.
class EndKeepers {
public:
  explicit EndKeepers(const KeeperAnswers& answers);

  [[nodiscard]] const KeeperTable& table() const { return table_; }
  /// Returns the path to the block that is in use there at the end, and its item; without either if none is in use.
  [[nodiscard]] BlockPath path_at(DeviceId device, std::uint64_t address) const;
  /// Returns keeper_key() of its keeper; KeeperPart::freed for a block that was not kept until the end.
  [[nodiscard]] KeeperStep key_at(bool is_kept, DeviceId device, std::uint64_t address) const;

private:
  struct Place {
    DeviceId device;
    std::uint64_t address = 0;
    BlockPath path;
  };
  KeeperTable table_;
  std::vector<Place> places_; ///< sorted
};

/// The blocks in use that one variable keeps.
struct KeeperLine {
  std::uint32_t keeper = kNoKeeper; ///< an index into KeeperTable::keepers; kNoKeeper: freed before the end
  Amount amount = {};               ///< requested bytes
  KindShares kinds = {};            ///< the same by kind; empty if the state has no kinds
};

struct KeeperLines {
  KeeperTable table;
  std::vector<KeeperLine> lines;        ///< most bytes first
  std::vector<std::uint32_t> of_block;  ///< by block index: an index into `lines`; kNoKeeper for a free block
  std::vector<BlockPath> path_of_block; ///< by block index: kNoPath for a free block, or one freed before the end
};

/// Returns keeper_key() of a line's keeper; KeeperPart::freed for blocks that were freed before the end.
[[nodiscard]] KeeperStep key_of(const KeeperLine& line, const KeeperTable& table);

/// Returns the keepers of the blocks of `device`, or of all devices, in a state of the recording of `answers`.
[[nodiscard]] KeeperLines keeper_lines(const KeeperAnswers& answers, const MemoryState& state,
                                       std::optional<DeviceId> device);

} // namespace memviz
