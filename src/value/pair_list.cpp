#include "value/pair_list.hpp"

#include "memviz/error.hpp"
#include "value/hash.hpp"

#include <algorithm>
#include <limits>

namespace memviz {

/// The slot that holds `key`, or the free one where it belongs.
std::size_t PairList::slot_of(Value key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(mixed(hash_secret(), key.bits())) & mask;
  while (slots_[slot] != 0 && items_[slots_[slot] - 1].first != key)
    slot = (slot + 1) & mask;
  return slot;
}

void PairList::enter(std::size_t position) {
  std::uint32_t& slot = slots_[slot_of(items_[position].first)];
  if (slot == 0) ++distinct_;
  slot = static_cast<std::uint32_t>(position + 1);
}

void PairList::index_latest() {
  if (items_.size() >= std::numeric_limits<std::uint32_t>::max()) throw Error("more than 2^32 items in one dict");
  if (slots_.empty()) {
    slots_.resize(4 * kFewItems);
    for (std::size_t position = 0; position + 1 < items_.size(); ++position)
      enter(position);
  }
  if (2 * (distinct_ + 1) > slots_.size()) {
    const std::vector<std::uint32_t> old = std::exchange(slots_, std::vector<std::uint32_t>(2 * slots_.size()));
    for (const std::uint32_t slot : old)
      if (slot != 0) slots_[slot_of(items_[slot - 1].first)] = slot;
  }
  enter(items_.size() - 1);
}

Value PairList::find(Value key) const {
  if (!slots_.empty()) {
    const std::uint32_t slot = slots_[slot_of(key)];
    return slot == 0 ? Value() : items_[slot - 1].second;
  }
  const auto found = std::find_if(items_.rbegin(), items_.rend(), [&](const auto& pair) { return pair.first == key; });
  return found == items_.rend() ? Value() : found->second;
}

} // namespace memviz
