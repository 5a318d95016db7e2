#include "page/keeper_texts.hpp"

namespace memviz::render {

KeeperTexts::KeeperTexts(const FrameTable& frames, const KeeperTable& table)
    : frames_(frames), table_(table), numbers_(table.paths.paths.size() + 1, kNoKeeper) {
}

std::uint32_t KeeperTexts::number_of(PathId path) {
  std::uint32_t& number = path == kNoPath ? numbers_.back() : numbers_[path.value];
  if (number != kNoKeeper) return number;
  number = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(block_keeper_text(frames_, table_, {path}));
  return number;
}

std::uint32_t KeeperTexts::number_of(const std::string& text) {
  const auto [entry, is_new] = other_numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return entry->second;
}

} // namespace memviz::render
