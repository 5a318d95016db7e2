#include "support/rewound.hpp"
#include "support/training.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("a backward pass without an end has temporaries") {
  Training training;
  training.parameter();
  training.forward();
  MomentChoice moment;
  std::uint64_t expected = 700;
  const auto end_step = [&] {
    training.alloc(kBase + 0x40000, kWeightBytes, training.backward_stack());
    training.step();
    training.zero_grad();
    training.forward();
  };
  SUBCASE("that it frees, though gradients have their line and size") {
    training.backward_of(kBase + 0x10000);
    end_step();
    training.alloc(kBase + 0x100000, kWeightBytes, training.backward_stack());
    training.alloc(kBase + 0x200000, 900, training.backward_stack());
    training.free(kBase + 0x100000);
    training.alloc(kBase + 0x40000, kWeightBytes, training.backward_stack());
    moment = after_event(14);
    expected = kWeightBytes;
  }
  SUBCASE("of a line that made some in an earlier one") {
    training.backward_of(kBase + 0x10000);
    end_step();
    training.alloc(kBase + 0x30000, 700, training.backward_stack());
  }
  SUBCASE("that are the last that the recording frees") {
    training.backward_of(kBase + 0x10000);
    moment = after_event(4);
  }
  CHECK(training.kinds(moment).at("temporary by behaviour") == expected);
}

TEST_CASE("in a backward pass without an end, what earlier passes left is a gradient, also of no parameter's size") {
  Training training;
  training.parameter();
  for (int pass = 0; pass < 2; ++pass) {
    training.forward();
    training.alloc(kBase + 0x100000, 300, training.backward_stack());
    if (pass == 0) {
      training.backward();
      training.step();
      training.free(kBase + 0x100000);
    }
  }
  CHECK(training.kinds().at("gradient by behaviour") == kWeightBytes + 300);
}
