#include "value/pair_list.hpp"

#include "base/hash.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <limits>

namespace memviz {

namespace {

std::uint64_t hash_of(Value key) {
  return mixed(hash_secret(), key.bits());
}

} // namespace

void PairList::enter(std::size_t position) {
  const Value key = items_[position].first;
  std::uint32_t& slot = table_.place(
      hash_of(key), [&](std::uint32_t known) { return items_[known - 1].first == key; },
      [&](std::uint32_t known) { return hash_of(items_[known - 1].first); });
  const auto entry = static_cast<std::uint32_t>(position + 1);
  if (slot == 0)
    table_.fill(slot, entry);
  else
    slot = entry;
}

void PairList::index_latest() {
  if (items_.size() >= std::numeric_limits<std::uint32_t>::max()) throw Error("more than 2^32 items in one dict");
  if (table_.size() == 0) {
    for (std::size_t position = 0; position + 1 < items_.size(); ++position)
      enter(position);
  }
  enter(items_.size() - 1);
}

Value PairList::find(Value key) const {
  if (table_.size() > 0) {
    const std::uint32_t* const slot =
        table_.find(hash_of(key), [&](std::uint32_t known) { return items_[known - 1].first == key; });
    return slot == nullptr ? Value() : items_[*slot - 1].second;
  }
  const auto found = std::find_if(items_.rbegin(), items_.rend(), [&](const auto& pair) { return pair.first == key; });
  return found == items_.rend() ? Value() : found->second;
}

} // namespace memviz
