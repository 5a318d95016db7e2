#include "support/rewound.hpp"
#include "support/states.hpp"
#include "support/training.hpp"

#include <array>
#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

StackId copy_in(Training& training, std::string_view function) {
  return training.made.stack({"/app/train.py:5:main", function, "lib.so:1:at::_ops::to_dtype_layout::call()",
                              "lib.so:1:at::native::_to_copy()"});
}

StackId in_module(Training& training, std::string_view line,
                  std::string_view function = "lib.so:1:at::_ops::mm::call()") {
  return training.made.stack(
      {"/app/train.py:9:main", "/lib/torch/nn/modules/module.py:1750:_call_impl", line, function});
}

/// Fails to allocate.
void fail(Training& training) {
  training.made.event(Action::oom, 0, std::uint64_t{1} << 40U);
}

constexpr std::uint64_t kStep = 0x100000;

} // namespace

TEST_CASE("many copies of several sizes before the first forward pass are weights, few are a batch") {
  Training training;
  const StackId copies = copy_in(training, "/app/model.py:7:fill");
  std::uint64_t expected = 0;
  std::uint64_t count = 20;
  const char* kind = "parameter by behaviour";
  SUBCASE("many") {
  }
  SUBCASE("few") {
    count = 4;
    kind = "input by frames";
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    training.alloc(kBase + kStep * i, 1024 * (1 + i % 4), copies);
    expected += 1024 * (1 + i % 4);
  }
  training.alloc(kBase + kStep * 30, 700, in_module(training, "/app/model.py:5:forward"));
  training.free(kBase + kStep * 30);
  CHECK(training.kinds() == Bytes{{kind, expected}});
}

TEST_CASE("what is copied by a function that loads weights is a parameter") {
  Training training;
  training.alloc(kBase, 4096, copy_in(training, "/lib/accelerate/modeling.py:7:set_module_tensor_to_device"));
  training.alloc(kBase + kStep, 512, copy_in(training, "/app/train.py:8:load_batch"));
  CHECK(training.kinds() == Bytes{{"parameter by frames", 4096}, {"input by frames", 512}});
}

TEST_CASE("a gradient is one where zero_grad() comes after the next batch") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + 0x200000, 512, copy_in(training, "/app/train.py:8:next_batch"));
  training.zero_grad();
  training.forward();
  CHECK(training.kinds(after_event(7)) ==
        Bytes{{"parameter by frames", kWeightBytes}, {"gradient by behaviour", kWeightBytes}});
}

TEST_CASE("a gradient is one where it is the last thing that the recording frees") {
  Training training;
  training.parameter();
  for (int step = 0; step < 2; ++step) {
    training.forward();
    training.backward();
    training.zero_grad();
  }
  CHECK(training.kinds(after_event(15)) ==
        Bytes{{"parameter by frames", kWeightBytes}, {"gradient by behaviour", kWeightBytes}});
}

TEST_CASE("what is computed from a batch before a forward pass is an input, and not without a forward pass") {
  Training training;
  training.step();
  training.alloc(kBase, 512, copy_in(training, "/app/train.py:5:main"));
  training.alloc(kBase + kStep, 1024, training.made.stack({"/app/train.py:6:main"}));
  Bytes expected{{"input by frames", 512}, {"input by behaviour", 1024}};
  SUBCASE("of a module") {
    training.forward();
  }
  SUBCASE("of a module, and freed after the next batch is copied") {
    training.forward();
    training.backward();
    training.step();
    training.alloc(kBase + 2 * kStep, 512, copy_in(training, "/app/train.py:5:main"));
    training.free(kBase + kStep);
  }
  SUBCASE("with a backward pass alone") {
    expected = {{"input by frames", 512}, {"unknown by none", 1024}};
  }
  training.alloc(kBase + 8 * kStep, 700, training.backward_stack());
  const MomentChoice computed{
      .kind = MomentKind::event, .event = EventIndex(3), .time_us = 0, .annotation = {}, .device = {}};
  CHECK(training.kinds(computed) == expected);
}

TEST_CASE("what a forward pass made is no activation once its backward pass is over") {
  Training training;
  const StackId layer = in_module(training, "/app/model.py:5:forward");
  for (std::uint64_t step = 0; step < 3; ++step) {
    training.alloc(kBase + 0x10000, 1000, layer);
    training.alloc(kBase + kStep * (step + 1), 1000, layer); // kept in a list
    training.backward_of(kBase + 0x10000);
    training.step();
  }
  CHECK(training.kinds() == Bytes{{"unknown by none", 3000}});
}

TEST_CASE("an exception that frees a forward pass leaves what it held activations") {
  Training training;
  training.parameter();
  for (std::uint64_t layer = 0; layer < 32; ++layer)
    training.layer(kBase + kStep * (layer + 1));
  fail(training);
  for (std::uint64_t layer = 0; layer < 32; ++layer)
    training.free(kBase + kStep * (layer + 1));
  CHECK(training.kinds(after_event(32 * 3 + 1)) ==
        Bytes{{"parameter by frames", kWeightBytes}, {"activation by behaviour", 32 * 1000}});
}

TEST_CASE("what one backward pass makes and another frees is an activation of a double backward pass") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + 0x80000, 900, in_module(training, "/app/loss.py:5:penalty"));
  training.alloc(kBase + 0x30000, 700, training.backward_stack());
  training.free(kBase + 0x40000); // of the first pass
  training.free(kBase + 0x80000);
  training.alloc(kBase + 0x90000, 700, training.backward_stack());
  training.step();
  CHECK(training.kinds(after_event(8)).at("activation by behaviour") == kWeightBytes + 900);
}

TEST_CASE("what a backward pass makes and that of the next batch frees is a gradient that DDP takes into a bucket") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + 0x80000, 900, copy_in(training, "/app/train.py:8:main"));
  training.alloc(kBase + 0x30000, 700, training.backward_stack());
  training.free(kBase + 0x40000); // of the first batch
  training.alloc(kBase + 0x90000, 700, training.backward_stack());
  training.step();
  CHECK(training.kinds(after_event(8)).at("gradient by behaviour") == kWeightBytes);
}

TEST_CASE("what is older than the events and freed by the first backward pass is an activation") {
  Training training;
  training.alloc(kBase + 0x30000, 700, training.backward_stack());
  training.made.event(Action::free_completed, kBase, 3000);
  training.alloc(kBase + 0x40000, 700, training.backward_stack());
  training.old_then_freed(kBase);
  CHECK(training.kinds(after_event(0)).at("activation by behaviour") == 3000);
}

TEST_CASE("what a backward pass has not freed when it came to the first layer is held by the program") {
  Training training;
  training.parameter();
  const StackId layer = in_module(training, "/app/model.py:5:forward");
  for (std::uint64_t i = 0; i < 8; ++i)
    training.alloc(kBase + kStep * (i + 1), 1000, layer);
  training.alloc(kBase + kStep * 9, 4000, in_module(training, "/app/model.py:9:head"));
  for (std::uint64_t i = 8; i > 0; --i)
    training.backward_of(kBase + kStep * i);
  training.alloc(kBase + 0x40000, kWeightBytes, training.backward_stack());
  MomentChoice moment;
  Bytes expected{
      {"parameter by frames", kWeightBytes}, {"gradient by behaviour", kWeightBytes}, {"unknown by none", 4000}};
  SUBCASE("to the end") {
  }
  SUBCASE("until it frees it") {
    training.free(kBase + kStep * 9);
    moment = after_event(9);
    expected = {
        {"parameter by frames", kWeightBytes}, {"activation by behaviour", 8 * 1000}, {"unknown by none", 4000}};
  }
  CHECK(training.kinds(moment) == expected);
}

TEST_CASE("a module's torch.cat() that grows call by call keeps a cache of keys and values") {
  Training training;
  const StackId cat = in_module(training, "/app/model.py:6:forward", "lib.so:1:at::_ops::cat::call()");
  const StackId layer = in_module(training, "/app/model.py:5:forward");
  for (std::uint64_t token = 0; token < 8; ++token) {
    training.alloc(kBase + kStep * (token + 1), 1000 + 100 * token, cat);
    if (token > 0) training.free(kBase + kStep * token);
    training.alloc(kBase, 600, layer);
    training.free(kBase);
  }
  CHECK(training.kinds() == Bytes{{"kv_cache by behaviour", 1700}});
}

TEST_CASE("a cache of keys and values is one unless a backward pass frees it") {
  Training training;
  const StackId makes = training.made.stack({"/app/train.py:9:main", "/app/cache.py:8:_allocate_kv_cache_tensors"});
  const StackId cat = in_module(training, "/app/model.py:6:forward", "lib.so:1:at::_ops::cat::call()");
  Bytes expected{{"kv_cache by frames", 2000}};
  MomentChoice moment;
  training.alloc(kBase, 2000, makes);
  SUBCASE("and none does") {
  }
  SUBCASE("and one does") {
    for (std::uint64_t layer = 1; layer <= 10; ++layer)
      training.alloc(kBase + kStep * layer, 900 + 100 * layer, cat);
    for (std::uint64_t layer = 11; layer > 0; --layer)
      training.backward_of(kBase + kStep * (layer - 1));
    training.step();
    expected = {{"activation by behaviour", 2000 + 10 * 1450}};
    moment = after_event(10);
  }
  CHECK(training.kinds(moment) == expected);
}

TEST_CASE("zeros that a step frees are what any memory of their size is, and unknown if they stay") {
  Training training;
  const StackId zeros = training.made.stack({"/app/loss.py:7:mask", "lib.so:1:at::_ops::zeros_like::call()"});
  const char* kind = "activation by behaviour";
  training.parameter();
  training.forward();
  training.alloc(kBase + kStep, 300, zeros);
  SUBCASE("freed by the backward pass") {
    training.backward_of(kBase + kStep);
  }
  SUBCASE("never freed") {
    training.backward_of(kBase + 0x10000);
    kind = "unknown by none";
  }
  training.step();
  CHECK(training.kinds(after_event(4)).at(kind) == 300);
}

TEST_CASE("zeros of a parameter's size that stay are the state of an optimizer of the program's own") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + 0x200000, kWeightBytes,
                 training.made.stack({"/app/sgd.py:7:step", "lib.so:1:at::_ops::zeros_like::call()"}));
  training.zero_grad();
  training.forward();
  training.backward_of(kBase + 0x10000);
  training.step();
  CHECK(training.kinds() ==
        Bytes{{"parameter by frames", kWeightBytes}, {"optimizer_state by behaviour", kWeightBytes}});
}

TEST_CASE(
    "what was made before the first forward pass is a parameter where there are as many of its size as gradients") {
  Training training;
  training.alloc(kBase, kWeightBytes,
                 training.made.stack({"/app/model.py:3:__init__", "lib.so:1:at::_ops::empty::call()"}));
  MomentChoice moment;
  Bytes expected{{"parameter by behaviour", kWeightBytes}};
  SUBCASE("that exist") {
    training.forward();
    training.backward();
    training.step();
    expected.emplace("gradient by behaviour", kWeightBytes);
  }
  SUBCASE("that there are until the program frees both") {
    for (int step = 0; step < 3; ++step) {
      training.forward();
      training.backward();
      training.step();
      training.zero_grad();
    }
    training.free(kBase);
    moment = after_event(0);
  }
  CHECK(training.kinds(moment) == expected);
}

TEST_CASE("what a step made before a ring is a state if a part of a backward pass follows, and unknown without one") {
  Training training;
  const StackId momentum = training.made.stack({"/lib/torch/optim/optimizer.py:530:wrapper", "/app/muon.py:9:step"});
  training.before_recording(kBase, kWeightBytes, momentum);
  SUBCASE("a part of a backward pass") {
    training.alloc(kBase + kStep, 700, training.backward_stack());
    training.free(kBase + kStep);
    CHECK(training.kinds() == Bytes{{"optimizer_state by behaviour", kWeightBytes}});
  }
  SUBCASE("a part of a step") {
    training.step();
    CHECK(training.kinds() == Bytes{{"unknown by none", kWeightBytes}});
  }
}

TEST_CASE("what a step makes is its state, or a temporary, or unknown, by when it is freed") {
  Training training;
  const StackId step = training.made.stack({"/app/train.py:11:main", "/lib/torch/optim/adam.py:200:step"});
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + kStep, 300, step);
  const char* kind = "optimizer_state by behaviour";
  SUBCASE("never") {
  }
  SUBCASE("within it") {
    training.free(kBase + kStep);
    training.step();
    kind = "temporary by behaviour";
  }
  SUBCASE("in the next forward pass") {
    training.forward();
    training.free(kBase + kStep);
    kind = "unknown by none";
  }
  SUBCASE("after the next backward pass") {
    training.forward();
    training.backward_of(kBase + 0x10000);
    training.step();
    training.free(kBase + kStep);
  }
  CHECK(training.kinds(after_event(8)).at(kind) == 300);
}

TEST_CASE("what a forward pass makes and a later one frees is no temporary") {
  Training training;
  training.parameter();
  training.forward();
  training.alloc(kBase + kStep, 300, in_module(training, "/app/model.py:9:forward"));
  training.backward();
  training.step();
  training.forward();
  training.free(kBase + kStep);
  training.backward_of(kBase + 0x10000);
  CHECK(training.kinds(after_event(4)).at("unknown by none") == 300);
}

TEST_CASE("what a file had is a parameter where nothing else has its size and it stays") {
  Training training;
  training.alloc(kBase, 4096, training.made.stack({"/app/train.py:2:main", "/lib/torch/serialization.py:1500:load"}));
  training.forward();
  CHECK(training.kinds().at("parameter by behaviour") == 4096);
}

TEST_CASE("what a file had is a parameter where there are as many of its size as gradients") {
  Training training;
  training.alloc(kBase, kWeightBytes,
                 training.made.stack({"/app/train.py:2:main", "/lib/torch/serialization.py:1500:load"}));
  training.forward();
  training.backward();
  training.step();
  CHECK(training.kinds() == Bytes{{"parameter by behaviour", kWeightBytes}, {"gradient by behaviour", kWeightBytes}});
}

TEST_CASE("what a backward pass made before the events has no kind, though it has a parameter's size") {
  Training training;
  training.before_recording(kBase, kWeightBytes);
  training.before_recording(kBase + 0x70000, kWeightBytes, training.backward_stack());
  training.forward();
  training.backward();
  training.step();
  CHECK(training.kinds() == Bytes{{"parameter by behaviour", kWeightBytes},
                                  {"gradient by behaviour", kWeightBytes},
                                  {"unknown by none", kWeightBytes}});
}

TEST_CASE("weights of equal layers are parameters where nothing trains them") {
  Training training;
  const StackId makes = training.made.stack({"/app/model.py:3:__init__", "lib.so:1:at::_ops::empty::call()"});
  const auto make_layers = [&](const auto& make) {
    for (std::uint64_t i = 0; i < 24; ++i)
      make(kBase + 0x10000 * (i + 1), std::array<std::uint64_t, 4>{256, 16384, 32768, 32768}[i % 4]);
  };
  SUBCASE("older than the events") {
    make_layers([&](std::uint64_t address, std::uint64_t bytes) { training.before_recording(address, bytes); });
  }
  SUBCASE("made by the program") {
    make_layers([&](std::uint64_t address, std::uint64_t bytes) { training.alloc(address, bytes, makes); });
  }
  for (const std::uint64_t bytes_of_ten_rows : {2560U, 5120U}) {
    training.alloc(kBase, bytes_of_ten_rows, in_module(training, "/app/model.py:5:forward"));
    training.free(kBase);
  }
  CHECK(training.kinds() == Bytes{{"parameter by behaviour", 6 * (256 + 16384 + 2 * 32768)}});
}
