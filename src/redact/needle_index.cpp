#include "redact/needle_index.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace memviz {
namespace {

std::size_t hash_of_beginning(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, kShortestNeedle);
  return static_cast<std::size_t>(mixed(hash_secret(), word));
}

} // namespace

void NeedleIndex::assign(const std::vector<std::string>& needles) {
  constexpr std::size_t kBitsPerNeedle = 16;
  needles_.clear();
  // A needle that begins with another one is omitted: wherever it occurs, the other one is found.
  for (const std::string& needle : needles)
    if (needles_.empty() || !needle.starts_with(needles_.back())) needles_.push_back(needle);
  beginnings_.assign(std::bit_ceil(needles_.size() * kBitsPerNeedle + 1), false);
  for (const std::string& needle : needles_)
    beginnings_[hash_of_beginning(needle.data()) & (beginnings_.size() - 1)] = true;
}

const std::string* NeedleIndex::at(std::string_view text) const {
  if (!beginnings_[hash_of_beginning(text.data()) & (beginnings_.size() - 1)]) return nullptr;
  // The needle at the beginning of `text` sorts directly before `text` itself, because no needle begins with another
  // one.
  const auto after = std::upper_bound(needles_.begin(), needles_.end(), text.substr(0, kLongestNeedle));
  if (after == needles_.begin()) return nullptr;
  const std::string& candidate = *(after - 1);
  return text.starts_with(candidate) ? &candidate : nullptr;
}

} // namespace memviz
