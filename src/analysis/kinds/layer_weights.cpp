#include "analysis/kinds/layer_weights.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace memviz {

namespace {

constexpr std::size_t kLeastLayers = 4;
constexpr std::size_t kShortestLayer = 4;
constexpr std::size_t kLongestLayer = 64;
/// A matrix is at least this many times as large as a vector.
constexpr std::uint64_t kLeastPerVector = 32;
/// The bytes of an element: bfloat16 and float16, float32.
constexpr std::array<std::uint64_t, 2> kElementBytes{2, 4};
/// More blocks than the layers of a model whose weights fit one GPU.
constexpr std::size_t kMostBlocks = 32768;

/// Blocks whose sizes repeat with a period, the blocks of one layer.
struct LayerRun {
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t period = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool overlaps(const LayerRun& other) const {
    return begin < other.begin + other.count && other.begin < begin + count;
  }
};

class Layers {
public:
  Layers(std::span<const LastingBlock> lasting, const std::set<std::uint64_t>& requested)
      : lasting_(lasting), requested_(requested) {
    for (const LastingBlock& block : lasting)
      ++blocks_of_[block.size_bytes];
  }

  /// Returns the runs that may be weights, the largest first; of equal ones that with the shortest layers.
  [[nodiscard]] std::vector<LayerRun> find() const;

private:
  void add_runs(std::vector<LayerRun>& runs, std::size_t period) const;
  [[nodiscard]] std::vector<std::uint64_t> matrices_of(const LayerRun& run) const;
  [[nodiscard]] bool is_only_copy(const LayerRun& run, const std::vector<std::uint64_t>& matrices) const;
  [[nodiscard]] bool have_outputs(const std::vector<std::uint64_t>& matrices, std::uint64_t vector_bytes,
                                  std::uint64_t width) const;
  [[nodiscard]] bool are_used(const LayerRun& run, const std::vector<std::uint64_t>& matrices) const;

  std::span<const LastingBlock> lasting_;
  const std::set<std::uint64_t>& requested_;
  std::map<std::uint64_t, std::size_t> blocks_of_; ///< by size
};

/// Returns the sizes of a layer, from the smallest up, without those of vectors: biases, norms.
std::vector<std::uint64_t> Layers::matrices_of(const LayerRun& run) const {
  std::vector<std::uint64_t> sizes;
  for (const LastingBlock& block : lasting_.subspan(run.begin, run.period))
    sizes.push_back(block.size_bytes);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [largest = sizes.back()](std::uint64_t size) { return size < largest / kLeastPerVector; });
  return sizes;
}

/// Whether fewer than half as many blocks of these sizes lie outside the run: an optimizer's state or another model
/// would have as many.
bool Layers::is_only_copy(const LayerRun& run, const std::vector<std::uint64_t>& matrices) const {
  std::map<std::uint64_t, std::size_t> inside;
  for (const LastingBlock& block : lasting_.subspan(run.begin, run.count))
    ++inside[block.size_bytes];
  return std::ranges::all_of(
      matrices, [&](std::uint64_t size) { return 2 * (blocks_of_.at(size) - inside.at(size)) < inside.at(size); });
}

/// Whether modules request `residual_bytes` for some rows of `width` elements, and as many rows of the outputs of each
/// matrix. A vector of that width takes `vector_bytes`.
bool Layers::have_outputs(const std::vector<std::uint64_t>& matrices, std::uint64_t vector_bytes,
                          std::uint64_t width) const {
  return std::ranges::any_of(requested_, [&](std::uint64_t residual_bytes) {
    return residual_bytes % width == 0 && std::ranges::all_of(matrices, [&](std::uint64_t size) {
             return requested_.contains(saturating_product(residual_bytes / width, size / vector_bytes));
           });
  });
}

/// Whether some vector of each layer shows the width of the matrices, and modules request what they put out.
bool Layers::are_used(const LayerRun& run, const std::vector<std::uint64_t>& matrices) const {
  return std::ranges::any_of(blocks_of_, [&](const auto& counted) {
    const auto& [vector_bytes, count] = counted;
    const std::uint64_t bytes = vector_bytes;
    if (bytes > matrices.front() / kLeastPerVector || count < run.count / run.period) return false;
    if (std::ranges::any_of(matrices, [&](std::uint64_t size) { return size % bytes != 0; })) return false;
    return std::ranges::any_of(kElementBytes, [&](std::uint64_t element_bytes) {
      return bytes % element_bytes == 0 && have_outputs(matrices, bytes, bytes / element_bytes);
    });
  });
}

void Layers::add_runs(std::vector<LayerRun>& runs, std::size_t period) const {
  const auto is_repeated = [&](std::size_t i) { return lasting_[i].size_bytes == lasting_[i + period].size_bytes; };
  for (std::size_t begin = 0; begin + period < lasting_.size();) {
    std::size_t end = begin;
    while (end + period < lasting_.size() && is_repeated(end))
      ++end;
    if (end - begin >= (kLeastLayers - 1) * period) {
      const std::size_t layers = (end - begin) / period + 1;
      LayerRun run{begin, layers * period, period, 0};
      for (const LastingBlock& block : lasting_.subspan(run.begin, run.count))
        run.bytes = saturating_sum(run.bytes, block.size_bytes);
      const std::vector<std::uint64_t> matrices = matrices_of(run);
      if (matrices.size() > 1 && is_only_copy(run, matrices) && are_used(run, matrices)) runs.push_back(run);
    }
    begin = end + 1;
  }
}

std::vector<LayerRun> Layers::find() const {
  std::vector<LayerRun> runs;
  for (std::size_t period = kShortestLayer; period <= kLongestLayer; ++period)
    add_runs(runs, period);
  std::ranges::stable_sort(runs, std::ranges::greater(), &LayerRun::bytes);
  return runs;
}

} // namespace

std::vector<std::uint64_t> find_layer_weights(std::span<const LastingBlock> lasting,
                                              const std::set<std::uint64_t>& requested_by_modules) {
  // An optimizer that factors its state, and adapters, have runs that are much smaller than the weights.
  constexpr std::uint64_t kMuchSmaller = 50;
  if (lasting.size() > kMostBlocks) return {};
  const std::vector<LayerRun> runs = Layers(lasting, requested_by_modules).find();
  if (runs.empty()) return {};
  const LayerRun& weights = runs.front();
  const bool has_rival = std::ranges::any_of(
      runs, [&](const LayerRun& run) { return !run.overlaps(weights) && run.bytes > weights.bytes / kMuchSmaller; });
  if (has_rival) return {};
  std::vector<std::uint64_t> addresses;
  for (const LastingBlock& block : lasting.subspan(weights.begin, weights.count))
    addresses.push_back(block.address);
  std::ranges::sort(addresses);
  return addresses;
}

} // namespace memviz
