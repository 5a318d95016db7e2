#include "memviz/scrub.hpp"

#include "base/number_map.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace memviz {

namespace {

std::uint32_t distance(std::uint32_t left, std::uint32_t right) {
  return left < right ? right - left : left - right;
}

/// Returns items sorted by `key_of(item)`, which is less than `keys`; equal ones stay in their order. Counting takes
/// linear time: a page opens no sooner than millions of lives are sorted.
template <class KeyOf>
std::vector<std::uint32_t> sorted_by(const std::vector<std::uint32_t>& items, std::size_t keys, const KeyOf& key_of) {
  std::vector<std::uint32_t> next(keys + 1); // where the next item with a key goes
  for (const std::uint32_t item : items)
    ++next[key_of(item) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> sorted(items.size());
  for (const std::uint32_t item : items)
    sorted[next[key_of(item)]++] = item;
  return sorted;
}

/// Returns the rank of each address among all.
NumberMap address_ranks(const DeviceRecord& record) {
  NumberMap ranks;
  std::vector<std::uint64_t> addresses;
  const auto add = [&](const Life& life) {
    if (!ranks.insert(life.address, 0)) addresses.push_back(life.address);
  };
  std::ranges::for_each(record.lives, add);
  std::ranges::for_each(record.freed_baseline, add);
  std::ranges::for_each(record.kept_baseline, add);
  std::ranges::sort(addresses);
  for (std::size_t rank = 0; rank < addresses.size(); ++rank)
    static_cast<void>(ranks.insert(addresses[rank], rank));
  return ranks;
}

} // namespace

Scrub::Scrub(const DeviceRecord& record, std::uint32_t least_distance) : record_(record) {
  const std::size_t all = record.lives.size() + record.freed_baseline.size() + record.kept_baseline.size();
  std::vector<std::uint32_t> indices(all);
  std::iota(indices.begin(), indices.end(), 0U);
  const std::size_t states = std::size_t{record.events} + 2; // the last one is kForever
  const auto place = [&](std::uint32_t state) { return std::min(std::size_t{state}, states - 1); };
  std::ranges::copy_if(indices, std::back_inserter(ends_),
                       [&](std::uint32_t index) { return life(index).end != kForever; });
  ends_ = sorted_by(ends_, states, [&](std::uint32_t index) { return place(life(index).end); });
  const NumberMap ranks = address_ranks(record);
  index_at_ = sorted_by(indices, states, [&](std::uint32_t index) { return place(known_from(index)); });
  index_at_ = sorted_by(index_at_, ranks.size(), [&](std::uint32_t index) {
    return static_cast<std::size_t>(*ranks.find(life(index).address));
  });
  rank_of_.resize(all);
  for (std::uint32_t rank = 0; rank < index_at_.size(); ++rank)
    rank_of_[index_at_[rank]] = rank;
  live_.assign((all + kBits - 1) / kBits, 0);

  for (auto index = static_cast<std::uint32_t>(record.lives.size()); index < size(); ++index)
    begin(index);
  keep_checkpoint();
  while (now_.state < record.events) {
    step();
    // All checkpoints together hold no more numbers than there are states.
    if (now_.state - checkpoints_.back().position.state >= std::max(least_distance, live_count_)) keep_checkpoint();
  }
  go(0);
}

const Life& Scrub::life(std::uint32_t index) const {
  std::size_t rest = index;
  if (rest < record_.lives.size()) return record_.lives[rest];
  rest -= record_.lives.size();
  if (rest < record_.freed_baseline.size()) return record_.freed_baseline[rest];
  return record_.kept_baseline[rest - record_.freed_baseline.size()];
}

KindOf Scrub::kind(std::uint32_t index) const {
  if (!record_.kinds) return {};
  std::size_t rest = index;
  if (rest < record_.lives.size()) return record_.kinds->lives[rest];
  rest -= record_.lives.size();
  if (rest < record_.freed_baseline.size()) return record_.kinds->freed_baseline[rest];
  return record_.kinds->kept_baseline[rest - record_.freed_baseline.size()];
}

std::uint32_t Scrub::known_from(std::uint32_t index) const {
  return index < record_.lives.size() ? life(index).begin : life(index).end;
}

void Scrub::begin(std::uint32_t index) {
  const std::uint32_t rank = rank_of_[index];
  live_[rank / kBits] |= std::uint64_t{1} << (rank % kBits);
  ++live_count_;
}

void Scrub::end(std::uint32_t index) {
  const std::uint32_t rank = rank_of_[index];
  live_[rank / kBits] &= ~(std::uint64_t{1} << (rank % kBits));
  --live_count_;
}

void Scrub::step() {
  ++now_.state;
  for (; now_.next_end < ends_.size() && life(ends_[now_.next_end]).end == now_.state; ++now_.next_end)
    end(ends_[now_.next_end]);
  for (; now_.next_begin < record_.lives.size() && record_.lives[now_.next_begin].begin == now_.state;
       ++now_.next_begin)
    begin(now_.next_begin);
}

void Scrub::step_back() {
  for (; now_.next_begin > 0 && record_.lives[now_.next_begin - 1].begin == now_.state; --now_.next_begin)
    end(now_.next_begin - 1);
  for (; now_.next_end > 0 && life(ends_[now_.next_end - 1]).end == now_.state; --now_.next_end)
    begin(ends_[now_.next_end - 1]);
  --now_.state;
}

void Scrub::keep_checkpoint() {
  Checkpoint& checkpoint = checkpoints_.emplace_back();
  checkpoint.position = now_;
  checkpoint.live.reserve(live_count_);
  for_each_live([&](std::uint32_t index) { checkpoint.live.push_back(rank_of_[index]); });
}

void Scrub::restore(const Checkpoint& checkpoint) {
  std::ranges::fill(live_, 0);
  for (const std::uint32_t rank : checkpoint.live)
    live_[rank / kBits] |= std::uint64_t{1} << (rank % kBits);
  live_count_ = static_cast<std::uint32_t>(checkpoint.live.size());
  now_ = checkpoint.position;
}

const Scrub::Checkpoint& Scrub::nearest(std::uint32_t state) const {
  const auto after = std::partition_point(checkpoints_.begin(), checkpoints_.end(), [&](const Checkpoint& checkpoint) {
    return checkpoint.position.state < state;
  });
  if (after == checkpoints_.begin()) return *after;
  const auto before = after - 1;
  if (after == checkpoints_.end()) return *before;
  return state - before->position.state < after->position.state - state ? *before : *after;
}

void Scrub::go(std::uint32_t state) {
  const Checkpoint& near = nearest(state);
  if (distance(near.position.state, state) < distance(now_.state, state)) restore(near);
  while (now_.state < state)
    step();
  while (now_.state > state)
    step_back();
}

std::vector<std::uint32_t> Scrub::at_its_address(std::uint32_t index, std::size_t most) const {
  const std::uint64_t address = life(index).address;
  std::size_t first = rank_of_[index];
  std::size_t last = first;
  while (first > 0 && rank_of_[index] - first < most && life(index_at_[first - 1]).address == address)
    --first;
  while (last + 1 < index_at_.size() && last - rank_of_[index] < most && life(index_at_[last + 1]).address == address)
    ++last;
  return {index_at_.begin() + static_cast<std::ptrdiff_t>(first),
          index_at_.begin() + static_cast<std::ptrdiff_t>(last) + 1};
}

std::uint32_t Scrub::first_rank_at(std::uint64_t address) const {
  const auto first = std::partition_point(index_at_.begin(), index_at_.end(),
                                          [&](std::uint32_t other) { return life(other).address < address; });
  return static_cast<std::uint32_t>(first - index_at_.begin());
}

std::uint32_t Scrub::earlier_uses(std::uint32_t index) const {
  return rank_of_[index] - first_rank_at(life(index).address);
}

std::optional<std::uint32_t> Scrub::named(std::uint64_t address, std::uint64_t earlier_uses) const {
  const std::uint32_t first = first_rank_at(address);
  if (earlier_uses >= index_at_.size() - first) return std::nullopt;
  const std::uint32_t index = index_at_[first + static_cast<std::size_t>(earlier_uses)];
  return life(index).address == address ? std::optional(index) : std::nullopt;
}

std::optional<std::uint32_t> Scrub::living_at(std::uint64_t address, std::uint32_t state) const {
  const auto place = [&](std::uint32_t rank) { return index_at_.begin() + static_cast<std::ptrdiff_t>(rank); };
  const auto first = place(first_rank_at(address));
  const auto last =
      std::partition_point(first, index_at_.end(), [&](std::uint32_t other) { return life(other).address == address; });
  const auto after = std::partition_point(first, last, [&](std::uint32_t other) { return known_from(other) <= state; });
  const auto lives = [&](std::uint32_t index) { return life(index).lives_in(state); };
  for (auto one = after; one != first; --one)
    if (lives(*(one - 1))) return *(one - 1);
  // Allocations of the baseline are in the order of their ends.
  const auto later = std::find_if(after, last, lives);
  return later == last ? std::nullopt : std::optional(*later);
}

} // namespace memviz
