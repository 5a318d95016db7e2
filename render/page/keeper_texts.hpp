#pragma once

// Paths to blocks -> the lines of tooltips about their keepers, each once: many blocks share one.

#include "memviz/keeper_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::render {

class KeeperTexts {
public:
  /// Both must outlive this object.
  KeeperTexts(const FrameTable& frames, const KeeperTable& table);

  /// Returns the number of the text about a block with this path; kNoPath: it was freed before the end.
  [[nodiscard]] std::uint32_t number_of(PathId path);
  /// Returns the texts by number.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
  const FrameTable& frames_;
  const KeeperTable& table_;
  std::vector<std::uint32_t> numbers_; ///< by path, the last one for kNoPath; kNoKeeper if not requested yet
  std::vector<std::string> texts_;
};

} // namespace memviz::render
