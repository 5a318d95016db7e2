#include "analysis/causes/backward_passes.hpp"

#include "analysis/calls/kept_calls.hpp"

#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <vector>

namespace memviz {

namespace {

constexpr const char* kCallsModule = "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl";

/// Three steps of training at one line, then what the program makes at another.
class Trained {
public:
  Trained() {
    for (int i = 0; i < 3; ++i) {
      made_.event(Action::alloc, next(), 512, trains);
      made_.event(Action::alloc, next(), 512, backward);
    }
  }
  /// Whether a backward pass has followed, if the newest block of the pass is made at `pass`, and the request at
  /// `request`.
  [[nodiscard]] bool has_backward_at(StackId pass, StackId request) {
    const std::uint64_t address = next();
    made_.event(Action::alloc, address, 512, pass).segment(address, 512).active(512, 512, pass);
    const Recording recording = made_.take();
    const MemoryState state = test::state_at(recording, {});
    CallLineFinder finder(state.frames());
    const EventTable& events = recording.events_of(DeviceId{0});
    const std::vector<LiveBlock> blocks = live_blocks(state, DeviceId{0}, finder);
    REQUIRE(blocks.size() == 1);
    const std::vector expected{EventIndex(1), EventIndex(3), EventIndex(5)};
    CHECK(kept_calls({events, events.size(), blocks}, finder).backward == expected);
    return has_backward(events, expected, finder.of(request), blocks, finder);
  }

private:
  std::uint64_t next() { return address_ += 0x10000; }

  test::SmallSnapshot made_;
  std::uint64_t address_ = 0x100000;

public:
  StackId trains = made_.stack({"/app/train.py:20:train", kCallsModule, "/app/model.py:2:forward"});
  StackId loss = made_.stack({"/app/train.py:21:train"});
  StackId evaluates = made_.stack({"/app/train.py:40:evaluate", kCallsModule, "/app/model.py:2:forward"});
  StackId backward = made_.stack({"/torch/engine.cpp:9:torch::autograd::Engine::execute()"});
};

} // namespace

TEST_CASE("a pass at a line of training has a backward pass, whatever asks for memory") {
  {
    Trained program;
    CHECK(program.has_backward_at(program.trains, program.trains));
  }
  {
    Trained program;
    CHECK(program.has_backward_at(program.trains, program.loss));
  }
  {
    Trained program;
    CHECK(program.has_backward_at(program.trains, program.backward));
  }
}

TEST_CASE("an evaluation after training has no backward pass, unless one runs") {
  {
    Trained program;
    CHECK_FALSE(program.has_backward_at(program.evaluates, program.evaluates));
  }
  {
    Trained program;
    CHECK(program.has_backward_at(program.evaluates, program.backward));
  }
}

} // namespace memviz
