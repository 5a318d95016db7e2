#include "analysis/kinds/layer_weights.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <initializer_list>
#include <numeric>
#include <set>
#include <vector>

using namespace memviz;

namespace {

using Sizes = std::vector<std::uint64_t>;

constexpr std::uint64_t kWidth = 4096;           ///< of a vector of 1024 elements
constexpr std::uint64_t kSquare = 1024 * kWidth; ///< as many outputs as inputs
constexpr std::uint64_t kWide = 3 * kSquare;
const Sizes kOneLayer{kWidth, kSquare, kSquare / 2, kSquare / 2, kSquare, kWidth, kWide, kWide};
/// The sizes that modules request for 10 rows, and the size of an unrelated line.
const std::set<std::uint64_t> kRequested{10 * kWidth, 5 * kWidth, 30 * kWidth, 7 * kWidth + 512};

Sizes repeated(const Sizes& layer, std::size_t layers) {
  Sizes sizes;
  for (std::size_t i = 0; i < layers; ++i)
    sizes.insert(sizes.end(), layer.begin(), layer.end());
  return sizes;
}

Sizes joined(std::initializer_list<Sizes> parts) {
  Sizes sizes;
  for (const Sizes& part : parts)
    sizes.insert(sizes.end(), part.begin(), part.end());
  return sizes;
}

/// Returns the places of the weights in a model of these sizes.
std::vector<std::uint64_t> weights_in(const Sizes& sizes, const std::set<std::uint64_t>& requested = kRequested) {
  std::vector<LastingBlock> blocks;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    blocks.push_back({i, sizes[i]});
  return find_layer_weights(blocks, requested);
}

std::vector<std::uint64_t> places(std::size_t begin, std::size_t count) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

} // namespace

TEST_CASE("equal layers between an embedding and a head are weights") {
  const Sizes model = joined({{9 * kSquare}, repeated(kOneLayer, 6), {9 * kSquare, kWidth}});
  CHECK(weights_in(model) == places(1, 48));
}

TEST_CASE("layers that no module uses, or fewer than four, are not weights") {
  CHECK(weights_in(repeated(kOneLayer, 6), {}).empty());
  CHECK(weights_in(repeated(kOneLayer, 6), {10 * kWidth, 5 * kWidth}).empty());
  CHECK(weights_in(repeated(kOneLayer, 3)).empty());
  Sizes others(16);
  std::iota(others.begin(), others.end(), 9 * kSquare); // so that the layers begin far from the first block
  CHECK(weights_in(joined({others, repeated(kOneLayer, 3)})).empty());
  CHECK(weights_in(joined({others, repeated(kOneLayer, 4)})) == places(16, 32));
}

TEST_CASE("layers of up to 64 blocks are weights, of more they are not") {
  CHECK(weights_in(repeated(joined({kOneLayer, Sizes(56, kWidth)}), 4)) == places(0, 4 * 64));
  CHECK(weights_in(repeated(joined({kOneLayer, Sizes(57, kWidth)}), 4)).empty());
}

TEST_CASE("another model right before the weights leaves both without a kind") {
  const Sizes other = repeated({kWidth, 5 * kSquare, 7 * kSquare, kWidth}, 4);
  const std::set<std::uint64_t> requested{10 * kWidth, 5 * kWidth, 30 * kWidth, 50 * kWidth, 70 * kWidth};
  CHECK(weights_in(other, requested) == places(0, other.size()));
  CHECK(weights_in(joined({other, repeated(kOneLayer, 6)}), requested).empty());
  CHECK(weights_in(joined({repeated(kOneLayer, 6), other}), requested).empty());
}

TEST_CASE("caches of keys and values after the weights are not weights") {
  const std::size_t count = 6 * kOneLayer.size();
  CHECK(weights_in(joined({repeated(kOneLayer, 6), Sizes(12, 40 * kSquare)})) == places(0, count));
  // The sizes of keys and of values differ.
  CHECK(weights_in(joined({repeated(kOneLayer, 6), repeated({40 * kSquare, 41 * kSquare}, 6)})) == places(0, count));
  CHECK(weights_in(repeated({40 * kSquare, 41 * kSquare}, 6)).empty());
}

TEST_CASE("layers with caches between their weights stay without a kind") {
  Sizes layer = kOneLayer;
  layer.insert(layer.begin() + 4, 2, kSquare + 40 * 512);
  CHECK(weights_in(repeated(layer, 6)).empty());
}

TEST_CASE("weights with an optimizer's state, gradients or another model of their sizes stay without a kind") {
  Sizes states;
  for (const std::uint64_t size : kOneLayer)
    states.insert(states.end(), 2, size);
  CHECK(weights_in(joined({repeated(kOneLayer, 6), repeated(states, 6)})).empty());
  const Sizes words{9 * kSquare};
  CHECK(weights_in(joined({words, repeated(kOneLayer, 6), words, repeated(kOneLayer, 6)})).empty());
  Sizes gradients = repeated(kOneLayer, 6);
  std::ranges::reverse(gradients);
  CHECK(weights_in(joined({repeated(kOneLayer, 6), gradients})).empty());
}

TEST_CASE("weights with copies in another type stay without a kind, and those with small factors of a state do not") {
  Sizes masters = kOneLayer;
  for (std::uint64_t& size : masters)
    size *= 2;
  CHECK(weights_in(joined({repeated(kOneLayer, 6), repeated(masters, 6)})).empty());
  const Sizes factors{kWidth, 2 * kWidth, kWidth, 3 * kWidth, kWidth};
  CHECK(weights_in(joined({repeated(kOneLayer, 6), repeated(factors, 6)})) == places(0, 6 * kOneLayer.size()));
}

TEST_CASE("a data set on the device is not weights, though modules request the sizes of its images and masks") {
  const std::uint64_t mask = 224 * 224 * 4;
  CHECK(weights_in(repeated({3 * mask, mask, 1024, 256}, 48), {mask, 3 * mask, 64 * mask, 128 * mask}).empty());
  CHECK(weights_in(Sizes(500, 10 * kSquare)).empty());
}
