#include "cpu_history.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace memviz::capture {
namespace {

constexpr std::size_t kMaxNameBytes = std::size_t{1} << 20U;
constexpr std::string_view kNameBeyondBound = "(another operator)";

/// Copies the stacks in use from one table to another.
class StackMover {
public:
  StackMover(const StackTable& from, StackTable& to) : from_(from), to_(to), moved_(from.size(), kNoStack) {}
  StackIndex move(StackIndex stack) {
    if (stack == kNoStack) return stack;
    if (moved_[stack] == kNoStack) moved_[stack] = to_.add(from_[stack]);
    return moved_[stack];
  }

private:
  const StackTable& from_;
  StackTable& to_;
  std::vector<StackIndex> moved_;
};

} // namespace

std::size_t EventCounts::of(CpuRecord::Kind kind) const {
  switch (kind) {
  case CpuRecord::Kind::allocation: return allocation;
  case CpuRecord::Kind::free: return free;
  case CpuRecord::Kind::out_of_memory: return out_of_memory;
  }
  return 0;
}

CpuHistory::CpuHistory(const EventCounts& counts, std::size_t max_entries, std::size_t max_bytes)
    : counts_(counts), max_entries_(max_entries), max_bytes_(max_bytes) {
}

void* CpuHistory::intern(std::string_view name) {
  const bool is_full = name_bytes_ > kMaxNameBytes;
  if (const auto known = names_.find(is_full ? kNameBeyondBound : name); known != names_.end()) {
    return const_cast<std::string*>(&*known); // NOLINT: only ever read again
  }
  const auto [place, is_new] = names_.emplace(is_full ? kNameBeyondBound : name);
  name_bytes_ += sizeof(*place) + place->capacity();
  return const_cast<std::string*>(&*place); // NOLINT
}

StackPair CpuHistory::add_stack(const CallSite& site) {
  StackPair stack;
  if (!site.native.empty()) stack.native = native_.add(site.native);
  if (site.operators.empty()) return stack;
  std::array<void*, OperatorStack::kMaxDepth> names;
  const std::size_t depth = std::min(site.operators.size(), names.size());
  for (std::size_t i = 0; i < depth; ++i)
    names[i] = intern(site.operators[depth - 1 - i].name());
  stack.operators = operators_.add(std::span(names).first(depth));
  return stack;
}

void CpuHistory::add_record(const CpuRecord& record) {
  if (const std::size_t events = counts_.of(record.kind); events > 0) {
    records_.push_back(record);
    events_ += events;
  }
  keep_in_bounds();
}

void CpuHistory::add_live(std::uint64_t address, const StackPair& stack) {
  live_[address] = stack;
}

StackPair CpuHistory::live_stack(std::uint64_t address) const {
  const auto known = live_.find(address);
  return known == live_.end() ? StackPair{} : known->second;
}

StackPair CpuHistory::take_live(std::uint64_t address) {
  const auto known = live_.find(address);
  if (known == live_.end()) return {};
  const StackPair stack = known->second;
  live_.erase(known);
  return stack;
}

std::size_t CpuHistory::bytes() const {
  constexpr std::size_t live_bytes = sizeof(std::uint64_t) + sizeof(StackPair) + sizeof(std::uint64_t);
  return records_.size() * sizeof(CpuRecord) + native_.bytes() + operators_.bytes() +
         live_.bucket_count() * live_bytes + name_bytes_;
}

void CpuHistory::drop_oldest() {
  events_ -= counts_.of(records_.front().kind);
  records_.pop_front();
  is_overflowed_ = true;
}

void CpuHistory::keep_in_bounds() {
  while (events_ > max_entries_)
    drop_oldest();
  if (bytes() <= max_bytes_) return;
  // Stacks stay behind when their records go. To look for those in use is slow: make room for many records at once.
  while (bytes() > max_bytes_ / 4 * 3 && !records_.empty()) {
    for (std::size_t count = records_.size() / 4 + 1; count > 0; --count)
      drop_oldest();
    drop_unused_stacks();
  }
  if (bytes() <= max_bytes_ / 8 * 7) return;
  live_ = {}; // the stacks of living memory alone are too many
  drop_unused_stacks();
}

void CpuHistory::drop_unused_stacks() {
  StackTable native;
  StackTable operators;
  StackMover native_mover(native_, native);
  StackMover operator_mover(operators_, operators);
  const auto move = [&](StackPair& stack) {
    stack = {native_mover.move(stack.native), operator_mover.move(stack.operators)};
  };
  for (CpuRecord& record : records_)
    move(record.stack);
  for (auto& [address, stack] : live_)
    move(stack);
  native_ = std::move(native);
  operators_ = std::move(operators);
}

CpuHistory CpuHistory::copy_for_dump() const {
  CpuHistory copy(counts_, max_entries_, max_bytes_);
  copy.is_overflowed_ = is_overflowed_;
  copy.records_ = records_;
  copy.native_ = native_;
  copy.operators_ = operators_;
  copy.live_ = live_;
  return copy;
}

} // namespace memviz::capture
