#include "analysis/report/gradients.hpp"

#include "base/hash_map.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace memviz {

namespace {

std::vector<const Life*> lives_of_gradients(const DeviceRecord& record) {
  std::vector<const Life*> gradients;
  if (!record.kinds) return gradients;
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>& kinds) {
    for (std::size_t i = 0; i < lives.size(); ++i)
      if (kinds[i].kind == MemoryKind::gradient) gradients.push_back(&lives[i]);
  };
  add(record.kept_baseline, record.kinds->kept_baseline);
  add(record.freed_baseline, record.kinds->freed_baseline);
  add(record.lives, record.kinds->lives);
  return gradients;
}

/// Returns the first state in which they hold most.
std::uint32_t fullest_state(const std::vector<const Life*>& lives) {
  using Change = std::pair<std::uint32_t, std::int64_t>;
  std::vector<Change> changes;
  for (const Life* life : lives) {
    changes.emplace_back(life->begin, static_cast<std::int64_t>(life->size_bytes));
    changes.emplace_back(life->end, -static_cast<std::int64_t>(life->size_bytes));
  }
  // Within one state, frees come first.
  std::ranges::sort(changes);
  std::int64_t bytes = 0;
  std::int64_t most_bytes = 0;
  std::uint32_t fullest = 0;
  for (const auto& [state, change] : changes) {
    bytes += change;
    if (bytes <= most_bytes) continue;
    most_bytes = bytes;
    fullest = state;
  }
  return fullest;
}

/// Returns the weights that have no gradient yet.
class FreeWeights {
public:
  FreeWeights(std::span<ReportEntry> weights, std::span<const std::string> declared_names) : weights_(weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      by_size_[weights[i].size_bytes].push_back(i);
      if (!declared_names[i].empty()) static_cast<void>(by_name_.add(declared_names[i], i));
    }
  }

  [[nodiscard]] bool take_by_name(const Gradient& gradient) {
    const std::size_t* const weight = by_name_.find(gradient.declared_name);
    if (weight == nullptr || weights_[*weight].gradient_bytes > 0) return false;
    weights_[*weight].gradient_bytes = gradient.size_bytes;
    return true;
  }
  [[nodiscard]] bool take_by_size(const Gradient& gradient) {
    const auto found = by_size_.find(gradient.size_bytes);
    if (found == by_size_.end()) return false;
    std::vector<std::size_t>& weights = found->second;
    while (!weights.empty() && weights_[weights.back()].gradient_bytes > 0)
      weights.pop_back();
    if (weights.empty()) return false;
    weights_[weights.back()].gradient_bytes = gradient.size_bytes;
    weights.pop_back();
    return true;
  }
  [[nodiscard]] UnpairedReason reason(const Gradient& gradient) const {
    if (!gradient.declared_name.empty()) return UnpairedReason::other_name;
    return by_size_.contains(gradient.size_bytes) ? UnpairedReason::more_than_them : UnpairedReason::other_size;
  }

private:
  std::span<ReportEntry> weights_;
  std::map<std::uint64_t, std::vector<std::size_t>> by_size_; ///< in the order of allocation
  HashMap<std::string, std::size_t> by_name_;
};

} // namespace

std::vector<Gradient> gradients_of(const DeviceRecord& record, DeclaredNames& names) {
  std::vector<const Life*> lives = lives_of_gradients(record);
  const std::uint32_t state = fullest_state(lives);
  std::erase_if(lives, [&](const Life* life) { return !life->lives_in(state); });
  std::ranges::stable_sort(lives, {}, &Life::begin);
  std::vector<Gradient> gradients;
  for (const Life* life : lives)
    gradients.push_back({life->size_bytes, names.of(record, *life)});
  return gradients;
}

std::vector<UnpairedGradients> pair_gradients(std::span<ReportEntry> weights,
                                              std::span<const std::string> declared_names,
                                              std::span<const Gradient> gradients) {
  FreeWeights free(weights, declared_names);
  std::map<std::pair<std::uint64_t, UnpairedReason>, std::uint64_t> left;
  std::vector<bool> is_paired(gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    is_paired[i] = !gradients[i].declared_name.empty() && free.take_by_name(gradients[i]);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const bool is_named = !gradients[i].declared_name.empty();
    if (!is_paired[i] && (is_named || !free.take_by_size(gradients[i])))
      ++left[{gradients[i].size_bytes, free.reason(gradients[i])}];
  }
  std::vector<UnpairedGradients> unpaired;
  for (const auto& [what, count] : left)
    unpaired.push_back({.device = {}, .size_bytes = what.first, .reason = what.second, .count = count});
  return unpaired;
}

} // namespace memviz
