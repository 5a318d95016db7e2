#include "analysis/causes/earlier_failure.hpp"

#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

using ErrorFrames = std::vector<std::string_view>;

constexpr std::string_view kModuleCall = "/torch/nn/modules/module.py:9:_call_impl";
const ErrorFrames kLayerBefore{"/app/train.py:20:attempt", kModuleCall, "/app/model.py:2:forward"};
const ErrorFrames kConvolutionError{"/app/train.py:20:attempt", kModuleCall,
                                    "/torch/nn/modules/conv.py:9:_conv_forward"};
const ErrorFrames kPlanError{"/app/train.py:20:attempt", kModuleCall, "/torch/nn/modules/conv.py:9:_conv_forward",
                             "/torch/Conv_v8.cpp:9:at::native::run_conv_plan(cudnnContext*, at::Tensor const&)"};
const ErrorFrames kNextBatch{"/app/train.py:19:attempt"};

/// The bytes that an error with these frames has left, before which a layer made 64 bytes, and after which the program
/// goes on with `next`.
std::uint64_t left_by(const ErrorFrames& error, const ErrorFrames& next) {
  test::SmallSnapshot made;
  const StackId layer = made.stack(kLayerBefore);
  made.event(Action::alloc, 0x1000, 64, layer).event(Action::oom, 0, 512, made.stack(error));
  made.event(Action::alloc, 0x2000, 32, made.stack(next));
  const Recording recording = made.take();
  CallLineFinder finder(recording.frames);
  const std::vector<LiveBlock> blocks{
      {EventIndex(std::uint64_t{0}), 0x1000, 64, layer, MemoryKind::activation, &finder.of(layer)}};
  const EventTable& events = recording.events_of(recording.devices().at(0));
  return earlier_failure(events, events.size(), blocks, finder).bytes;
}

} // namespace

TEST_CASE("what a module made before an earlier error is left by it") {
  CHECK(left_by(kLayerBefore, kNextBatch) == 64);
  CHECK(left_by(kLayerBefore, kLayerBefore) == 64);
  CHECK(left_by(kConvolutionError, kNextBatch) == 64); // the next attempt
}

TEST_CASE("an error for the workspace of a convolution is cuDNN's to catch") {
  CHECK(left_by(kPlanError, kNextBatch) == 0);
  CHECK(left_by(kConvolutionError, kLayerBefore) == 0); // stacks without C++: the same call goes on
}

} // namespace memviz
