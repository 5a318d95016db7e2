#pragma once

// One device of a recording, for a page that steps through it: what is live at any of its states, in classes with
// colours: the user's own lines, kinds of memory, the origins of the code, or the variables that keep it at the end.

#include "memviz/keeper_table.hpp"
#include "memviz/scrub.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::view {

/// Classes of allocations: each allocation is in one.
struct Classes {
  struct Name {
    std::string label; ///< "forward model.py:41", "activation"
    std::string light; ///< its colour on a light page: "#dbab47"
    std::string dark;
    std::string paint; ///< its name in pictures: "hue0", "kind-activation"
  };
  std::vector<Name> names;
  std::vector<std::uint8_t> of_life; ///< by index in Scrub; an index into `names`
  std::vector<NodeKey> hued;         ///< the lines or keepers with hues, in the order in which pictures choose these
};

/// The order in which allocations are stacked: by their beginning, as in PyTorch's timeline; by kind or keeper first by
/// class. Memory from before the recording comes first.
struct BandOrder {
  std::vector<std::uint32_t> index_at; ///< by rank, the lowest first
  std::vector<std::uint32_t> rank_of;  ///< by index in Scrub
  std::vector<bool> is_odd;            ///< by index: every second allocation of its class
};

/// The line of the user, or the keeper, of each allocation.
struct LinesOfLives {
  std::vector<NodeKey> keys;
  std::vector<std::uint32_t> of_life; ///< by index in Scrub; an index into `keys`
};

class Walk {
public:
  /// Walks a device of the recording that `state` is a state of; both must outlive this object. `keepers`: null if the
  /// recording has none.
  Walk(const MemoryState& state, const LifeLines& lines, const DeviceRecord& record, const EndKeepers* keepers);

  [[nodiscard]] const DeviceRecord& record() const { return record_; }
  [[nodiscard]] Scrub& scrub() { return scrub_; }
  [[nodiscard]] const Scrub& scrub() const { return scrub_; }
  /// Returns the classes by "kind", by "origin" of the code, by "keeper" if keepers are known or, for any other word,
  /// by line.
  [[nodiscard]] const Classes& classes(std::string_view by) const {
    if (by == "keeper" && keepers_) return *keepers_;
    if (by == "origin") return origins_;
    return by == "kind" ? kinds_ : lines_;
  }
  /// Returns the order for the same word, made at the first call.
  [[nodiscard]] const BandOrder& band_order(std::string_view by);
  [[nodiscard]] const LinesOfLives& lines_of_lives() const { return by_code_; }
  /// Returns exact bytes, equal to the accounts, for a state of the record.
  [[nodiscard]] std::uint64_t live_bytes(std::uint32_t state) const;
  [[nodiscard]] std::uint64_t reserved_bytes(std::uint32_t state) const;

private:
  const DeviceRecord& record_;
  Scrub scrub_;
  std::vector<std::int64_t> live_; ///< by state
  LinesOfLives by_code_;
  Classes lines_;
  Classes kinds_;
  Classes origins_;
  std::optional<Classes> keepers_;
  std::map<std::string, BandOrder, std::less<>> orders_; ///< "line", "kind", "keeper", "origin"
};

/// Returns the state with the most live bytes in each of `columns` equal parts of a curve, the first of them; a column
/// in which no state begins repeats the previous one.
[[nodiscard]] std::vector<std::uint32_t> column_states(const Walk& walk, Window window, TimelineAxis axis,
                                                       std::size_t columns);

/// Returns a part of a curve as doubles: for each column its state (column_states), live and reserved bytes there, and
/// the bytes of each class.
[[nodiscard]] std::vector<double> curve(Walk& walk, std::string_view by, Window window, TimelineAxis axis,
                                        std::size_t columns);

/// A drawing of live memory: cells of equal size in rows, filled class by class, within a class by address.
struct Cells {
  /// 0: nothing; else 1 + 4 * class, 1 more for every second allocation, 2 more if a search found it.
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> lives; ///< by cell: the allocation in it, or kNone
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
};
/// Draws the current state of the walk. `bytes_per_cell` is at least 1; `is_found` of an index: whether a search found
/// it.
[[nodiscard]] Cells cells(Walk& walk, std::string_view by, std::size_t count, double bytes_per_cell,
                          const std::function<bool(std::uint32_t)>& is_found);

} // namespace memviz::view
