#include "support/training.hpp"

#include <array>
#include <cstdint>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kVector = 64 * 4;
constexpr std::uint64_t kMatrix = 64 * kVector;
constexpr std::array<std::uint64_t, 8> kLayer{kVector, kMatrix, kMatrix / 2, kMatrix / 2,
                                              kMatrix, kVector, 3 * kMatrix, 3 * kMatrix};
constexpr std::uint64_t kLayersBytes = 4 * (2 * kVector + 9 * kMatrix);

/// Four layers, and a forward pass that uses them for ten rows.
class Layers {
public:
  void older() {
    add([&](std::uint64_t address, std::uint64_t bytes) { training.before_recording(address, bytes); });
  }
  void newer() {
    const StackId load = training.made.stack({"/app/load.py:3:load"});
    add([&](std::uint64_t address, std::uint64_t bytes) { training.alloc(address, bytes, load); });
  }
  void forward() {
    training.forward();
    for (const std::uint64_t outputs : std::array<std::uint64_t, 3>{64, 32, 192}) {
      training.alloc(kBase + 0x70000, 10 * outputs * 4, training.forward_stack());
      training.free(kBase + 0x70000);
    }
  }
  [[nodiscard]] std::uint64_t parameter_bytes() { return training.kinds()["parameter by behaviour"]; }

  Training training;

private:
  template <class Make> static void add(const Make& make) {
    std::uint64_t address = kBase + 0x1000000;
    for (int layer = 0; layer < 4; ++layer)
      for (const std::uint64_t bytes : kLayer)
        make(address += 0x10000, bytes);
  }
};

} // namespace

TEST_CASE("equal layers that a forward pass uses are weights, loaded before the recording or in it") {
  Layers layers;
  SUBCASE("before") {
    layers.older();
  }
  SUBCASE("in it") {
    layers.newer();
  }
  layers.forward();
  CHECK(layers.parameter_bytes() == kLayersBytes);
}

TEST_CASE("in a training, equal layers without gradients may also be kept activations, and stay without a kind") {
  Layers layers;
  layers.training.parameter();
  layers.older();
  layers.forward();
  layers.training.backward();
  layers.training.step();
  CHECK(layers.parameter_bytes() == 0);
}
