#pragma once

// Paths to blocks -> the lines of tooltips about their keepers, each once: many blocks share one.

#include "memviz/keeper_table.hpp"
#include "story/keeper_words.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace memviz::render {

/// Returns ":3:n7" for the items 3 and a key of which `number_of_text` gives the number 7; ":*" for an unknown one. The
/// script names them in the text about the path (render/web/core/items.js).
template <class NumberOfText>
[[nodiscard]] std::string item_numbers(const FrameTable& frames, std::span<const KeeperItem> items,
                                       const NumberOfText& number_of_text) {
  std::string text;
  for (const KeeperItem& item : items) {
    const std::string name = keeper_item_text(frames, item);
    text += ':' + (item.key == kEmptyString ? name : "n" + std::to_string(number_of_text(name)));
  }
  return text;
}

class KeeperTexts {
public:
  /// Both must outlive this object.
  KeeperTexts(const FrameTable& frames, const KeeperTable& table);

  /// Returns the number of the text about a block with this path; kNoPath: it was freed before the end.
  [[nodiscard]] std::uint32_t number_of(PathId path);
  /// Returns the number of another text.
  [[nodiscard]] std::uint32_t number_of(const std::string& text);
  /// Returns the texts by number.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
  const FrameTable& frames_;
  const KeeperTable& table_;
  std::vector<std::uint32_t> numbers_; ///< by path, the last one for kNoPath; kNoKeeper if not requested yet
  std::map<std::string, std::uint32_t> other_numbers_;
  std::vector<std::string> texts_;
};

} // namespace memviz::render
