#include "analysis/kinds/size_facts.hpp"

#include "base/saturating.hpp"

#include <utility>

namespace memviz {

namespace {

/// More sizes than the parameters of any model have.
constexpr std::size_t kMostSizes = 65536;

} // namespace

void GradientCount::add(std::uint32_t its_epoch) {
  in_epoch = its_epoch == epoch ? in_epoch + 1 : 1;
  epoch = its_epoch;
  most = std::max(most, in_epoch);
}

SizeFacts* SizeTable::add(std::uint64_t size_bytes) {
  const auto found = facts_.find(size_bytes);
  if (found != facts_.end()) return &found->second;
  return facts_.size() < kMostSizes ? &facts_[size_bytes] : nullptr;
}

const SizeFacts& SizeTable::of(std::uint64_t size_bytes) const {
  static const SizeFacts none;
  const auto found = facts_.find(size_bytes);
  return found == facts_.end() ? none : found->second;
}

std::uint64_t SizeTable::old_per_gradient() const {
  std::map<std::uint64_t, std::uint64_t> bytes_by;
  for (const auto& [size_bytes, facts] : facts_) {
    const std::uint64_t gradients = facts.gradients_at_once();
    if (gradients == 0 || facts.old == 0 || facts.old % gradients != 0) continue;
    std::uint64_t& bytes = bytes_by[facts.old / gradients];
    bytes = saturating_sum(bytes, saturating_product(size_bytes, gradients));
  }
  const auto most = std::ranges::max_element(bytes_by, {}, &std::pair<const std::uint64_t, std::uint64_t>::second);
  return most == bytes_by.end() ? 0 : most->first;
}

bool SizeTable::has_old_copies(std::uint64_t size_bytes, std::uint64_t copies) const {
  const SizeFacts& facts = of(size_bytes);
  return copies > 0 && facts.old % copies == 0 && facts.old / copies <= facts.gradients_at_once();
}

} // namespace memviz
