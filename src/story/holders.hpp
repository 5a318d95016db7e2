#pragma once

// Lines or keepers and the bytes that each holds -> the table of them that texts and pictures print: the largest ones,
// what is within them, and the rest in one sentence. The rows of holders and the rest add up to all of them.

#include "memviz/flame.hpp"
#include "memviz/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

inline constexpr std::string_view kNothingInUse = "Nothing is in use.";
inline constexpr std::string_view kNothingInFocus = "No memory in use is in focus.";

struct HolderRow {
  NodeKey key;
  Amount amount;
  std::string share;      ///< "12.5 %"
  std::string note;       ///< "23 blocks"
  KindShares kinds = {};  ///< of a holder, if known
  bool is_within = false; ///< a line within the one above
  std::string name = {};  ///< of a holder that has no key
};

/// The holders without a row.
struct HoldersLeftOut {
  std::uint64_t holders = 0;
  std::uint64_t bytes = 0;
};

struct HolderTable {
  std::string heading;
  std::vector<HolderRow> rows; ///< largest first
  HoldersLeftOut left_out;
  std::string rest; ///< about these, or why the table is empty
};

struct HolderTableWords {
  std::string heading = {};
  std::string_view noun = "block";     ///< of what a holder has
  std::string_view rest_noun = "line"; ///< of a holder without a row
  std::string_view nothing = kNothingInUse;
  bool has_rest_bytes = true;
};

/// The conditions for a row.
struct HolderTableLimit {
  std::size_t most = 10;
  bool omits_small = false; ///< after the first three, omits those with less than 1/1000 of the whole
};

/// Returns the table of `holders`, which are sorted, with shares of `whole_bytes`.
[[nodiscard]] HolderTable holder_table(const std::vector<UserLine>& holders, std::uint64_t whole_bytes,
                                       const HolderTableWords& words = {}, const HolderTableLimit& limit = {});

/// Adds a row for a holder that has no key, and none if it holds nothing.
void add_named_row(HolderTable& table, const Amount& amount, std::uint64_t whole_bytes, std::string name);

/// Returns the table of the lines that pin free memory: the bytes are those that they hold.
[[nodiscard]] HolderTable pins_table(const Pins& pins, std::string heading, std::size_t most);

/// Returns the keys of the rows, for their labels.
[[nodiscard]] std::vector<NodeKey> keys_of(const HolderTable& table);

} // namespace memviz
