#include "support/training.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kBytes = 1000;
constexpr std::uint64_t kLayers = 12;
constexpr std::uint64_t kLines = 5;

/// A forward pass of equal layers, each of five lines that allocate and of temporaries, and then its release.
struct Pass {
  Training training;
  std::vector<std::uint64_t> kept;
  std::uint64_t next = kBase;
  std::uint64_t events = 0;
  std::string function = "lib.so:1:at::_ops::mm::call()";

  void alloc(std::uint64_t line, std::uint64_t bytes = kBytes) {
    const StackId stack = training.made.stack({"/app/eval.py:9:main", "/lib/torch/nn/modules/module.py:1750:_call_impl",
                                               fmt::format("/app/model.py:{}:forward", line), function});
    training.alloc(next += 0x10000, bytes, stack);
    ++events;
  }
  void free(std::uint64_t address) {
    training.free(address);
    ++events;
  }
  /// Keeps what the first lines of each layer make, and frees the rest at once.
  void run(std::uint64_t kept_lines, std::uint64_t layers = kLayers) {
    for (std::uint64_t layer = 0; layer < layers; ++layer)
      for (std::uint64_t line = 0; line < kLines; ++line) {
        alloc(line);
        if (line < kept_lines)
          kept.push_back(next);
        else
          free(next);
      }
  }
  void release() {
    for (const std::uint64_t address : kept)
      free(address);
    kept.clear();
  }
  /// Returns the kinds when the pass is over, and nothing of it freed; the recording goes on with another.
  Bytes kinds_before_release() {
    const MomentChoice over{
        .kind = MomentKind::event, .event = EventIndex(events - 1), .time_us = 0, .annotation = {}, .device = {}};
    release();
    alloc(1);
    return training.kinds(over);
  }
};

} // namespace

TEST_CASE("what a pass without a backward pass keeps of all its layers, and frees at once, is activations") {
  Pass pass;
  pass.run(4);
  CHECK(pass.kinds_before_release() == Bytes{{"activation by behaviour", 4 * kLayers * kBytes}});
}

TEST_CASE("what has the line of a temporary, and is made last of such a pass, is temporary") {
  Pass pass;
  pass.run(4);
  pass.alloc(4);
  pass.kept.push_back(pass.next);
  CHECK(pass.kinds_before_release() ==
        Bytes{{"activation by behaviour", 4 * kLayers * kBytes}, {"temporary by behaviour", kBytes}});
}

TEST_CASE("what such a pass frees before its end is temporary") {
  Pass pass;
  pass.alloc(7);
  const std::uint64_t temporary = pass.next;
  pass.run(4, 1);
  const MomentChoice early{
      .kind = MomentKind::event, .event = EventIndex(1), .time_us = 0, .annotation = {}, .device = {}};
  pass.free(temporary);
  pass.run(4, kLayers - 1);
  pass.release();
  pass.alloc(1);
  CHECK(pass.training.kinds(early).at("temporary by behaviour") == kBytes);
}

TEST_CASE("one hidden state of each layer, or the outputs of one line, are not a graph") {
  Pass pass;
  SUBCASE("a list of hidden states") {
    pass.run(1, 40);
  }
  SUBCASE("outputs of one line") {
    for (int i = 0; i < 100; ++i) {
      pass.alloc(1);
      pass.kept.push_back(pass.next);
    }
  }
  const Bytes kinds = pass.kinds_before_release();
  CHECK(kinds.size() == 1);
  CHECK(kinds.contains("unknown by none"));
}

TEST_CASE("the variables of one function, each line of which has run once, are not a graph") {
  Pass pass;
  for (std::uint64_t line = 0; line < 60; ++line) {
    pass.alloc(line);
    pass.kept.push_back(pass.next);
  }
  CHECK(pass.kinds_before_release() == Bytes{{"unknown by none", 60 * kBytes}});
}

TEST_CASE("autocast's copies of weights are not a graph") {
  Pass pass;
  for (std::uint64_t layer = 0; layer < kLayers; ++layer) {
    pass.function = "lib.so:1:at::autocast::cached_cast(c10::ScalarType, at::Tensor const&, c10::DeviceType)";
    for (std::uint64_t line = 0; line < kLines; ++line) {
      pass.alloc(line);
      pass.kept.push_back(pass.next);
    }
    pass.function = "lib.so:1:at::_ops::mm::call()";
    for (std::uint64_t line = 0; line < kLines; ++line) {
      pass.alloc(line);
      pass.free(pass.next);
    }
  }
  CHECK(pass.kinds_before_release() == Bytes{{"unknown by none", kLayers * kLines * kBytes}});
}

TEST_CASE("in stacks of Python alone, which do not show autocast, nothing is called a graph") {
  Pass pass;
  pass.function = "/app/functions.py:3:linear";
  pass.run(4);
  CHECK(pass.kinds_before_release() == Bytes{{"unknown by none", 4 * kLayers * kBytes}});
}
