#include "stack_table.hpp"

#include <algorithm>

namespace memviz::capture {
namespace {

/// The finalizer of SplitMix64 over the addresses, so that stacks that differ in one frame get distant hashes.
std::uint64_t hash_of(std::span<void* const> addresses) {
  std::uint64_t hash = addresses.size();
  for (const void* address : addresses) {
    hash += 0x9E3779B97F4A7C15U + reinterpret_cast<std::uintptr_t>(address);
    hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
    hash ^= hash >> 31U;
  }
  return hash;
}

} // namespace

StackIndex StackTable::add(std::span<void* const> addresses) {
  const std::uint64_t hash = hash_of(addresses);
  const auto [first, last] = index_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const auto other = (*this)[known->second];
    if (std::equal(addresses.begin(), addresses.end(), other.begin(), other.end())) return known->second;
  }
  const auto stack = static_cast<StackIndex>(begins_.size());
  begins_.push_back(addresses_.size());
  addresses_.insert(addresses_.end(), addresses.begin(), addresses.end());
  index_.emplace(hash, stack);
  return stack;
}

std::size_t StackTable::bytes() const {
  // A node of the hash table: the next node, the key and the value.
  constexpr std::size_t node_bytes = sizeof(void*) + sizeof(decltype(index_)::value_type);
  return addresses_.capacity() * sizeof(void*) + begins_.capacity() * sizeof(std::size_t) + index_.size() * node_bytes +
         index_.bucket_count() * sizeof(void*);
}

std::span<void* const> StackTable::operator[](StackIndex index) const {
  const std::size_t begin = begins_.at(index);
  const std::size_t end = index + std::size_t{1} < begins_.size() ? begins_[index + std::size_t{1}] : addresses_.size();
  return std::span(addresses_).subspan(begin, end - begin);
}

} // namespace memviz::capture
