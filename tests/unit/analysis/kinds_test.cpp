#include "analysis/kinds/declared_kinds.hpp"
#include "analysis/kinds/kind_watch.hpp"
#include "memviz/error.hpp"
#include "support/snapshot_builder.hpp"
#include "support/training.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("copies to the device are weights if they are at least 16 of three sizes") {
  const auto are_weights = [](std::uint64_t count, std::uint64_t sizes) {
    Copies copies;
    for (std::uint64_t i = 0; i < count; ++i)
      copies.add(512 * (1 + i % sizes));
    return copies.are_weights();
  };
  CHECK(are_weights(16, 3));
  CHECK_FALSE(are_weights(15, 3));
  CHECK_FALSE(are_weights(100, 2));
}

TEST_CASE("after a step of training there are parameters, gradients and the optimizer's state") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.first_step();
  training.step();
  CHECK(training.kinds() == Bytes{{"parameter by frames", kWeightBytes},
                                  {"optimizer_state by frames", kWeightBytes},
                                  {"gradient by behaviour", kWeightBytes}});
}

TEST_CASE("what a forward pass makes is an activation where its backward pass frees it") {
  Training training;
  training.parameter();
  training.forward();
  SUBCASE("of a moment that has both ahead") {
    training.backward();
    training.step();
    const MomentChoice after_forward{
        .kind = MomentKind::event, .event = EventIndex(3), .time_us = 0, .annotation = {}, .device = {}};
    CHECK(training.kinds(after_forward) ==
          Bytes{{"parameter by frames", kWeightBytes}, {"activation by behaviour", 1000}});
  }
  SUBCASE("of a recording that ends before, as it was in an earlier step") {
    training.backward();
    training.step();
    training.zero_grad();
    training.forward();
    CHECK(training.kinds() == Bytes{{"parameter by frames", kWeightBytes}, {"activation by behaviour", 1000}});
  }
  SUBCASE("and nothing decides it in the first forward pass") {
    CHECK(training.kinds() == Bytes{{"parameter by frames", kWeightBytes}, {"unknown by none", 1000}});
  }
}

TEST_CASE("what a first forward pass keeps is activations where it keeps much of what its modules make") {
  Training training;
  training.parameter();
  for (std::uint64_t layer = 0; layer < 32; ++layer)
    training.layer(kBase + 0x100000 * (layer + 1));
  CHECK(training.kinds() == Bytes{{"parameter by frames", kWeightBytes}, {"activation by behaviour", 32 * 1000}});
}

TEST_CASE("the last that such a pass made may be a temporary where it has the line and size of one") {
  Training training;
  for (std::uint64_t layer = 0; layer < 32; ++layer)
    training.layer(kBase + 0x100000 * (layer + 1));
  training.layer(kBase, 700);
  training.alloc(kBase + 0x10000, 600, training.forward_stack());
  CHECK(training.kinds() == Bytes{{"activation by behaviour", 33 * 1000}, {"unknown by none", 600}});
}

TEST_CASE("what a forward pass keeps of each layer besides much that it frees may be a cache") {
  Training training;
  for (std::uint64_t layer = 0; layer < 32; ++layer)
    training.layer(kBase + 0x100000 * (layer + 1), 4000);
  CHECK(training.kinds() == Bytes{{"unknown by none", 32 * 1000}});
}

TEST_CASE("what a forward pass frees again is a temporary once its backward pass has come") {
  Training training;
  training.forward();
  Bytes expected{{"unknown by none", 6000}};
  SUBCASE("and may be anything where none comes") {
  }
  SUBCASE("which is there") {
    training.backward();
    training.step();
    expected = {{"activation by behaviour", 1000}, {"temporary by behaviour", 5000}};
  }
  const MomentChoice both_there{
      .kind = MomentKind::event, .event = EventIndex(1), .time_us = 0, .annotation = {}, .device = {}};
  CHECK(training.kinds(both_there) == expected);
}

TEST_CASE("what is older than the recording is a parameter where there are as many of its size as gradients") {
  Training training;
  training.before_recording(kBase, kWeightBytes);
  Bytes expected{{"gradient by behaviour", kWeightBytes}, {"parameter by behaviour", kWeightBytes}};
  SUBCASE("and nothing else of that size") {
  }
  SUBCASE("and the first where there are twice as many, the other being an optimizer's state") {
    training.before_recording(kBase + 0x70000, kWeightBytes);
    expected.emplace("optimizer_state by behaviour", kWeightBytes);
  }
  SUBCASE("but one or the other where there are more copies than an optimizer has") {
    for (std::uint64_t copy = 1; copy < 9; ++copy)
      training.before_recording(kBase + 0x60000 + copy * 0x10000, kWeightBytes);
    expected = {{"gradient by behaviour", kWeightBytes},
                {"parameter_or_optimizer_state by behaviour", 9 * kWeightBytes}};
  }
  training.forward();
  training.backward();
  training.step();
  CHECK(training.kinds() == expected);
}

TEST_CASE(
    "a gradient is what a backward pass made and zero_grad() freed, whether or not a step took memory in between") {
  Training training;
  training.before_recording(kBase, kWeightBytes);
  training.forward();
  training.backward();
  training.zero_grad();
  training.forward();
  const MomentChoice after_backward{
      .kind = MomentKind::event, .event = EventIndex(5), .time_us = 0, .annotation = {}, .device = {}};
  CHECK(training.kinds(after_backward) == Bytes{{"gradient by behaviour", kWeightBytes},
                                                {"parameter by behaviour", kWeightBytes},
                                                {"temporary by behaviour", 700}});
}

TEST_CASE("a gradient that is older than the events has AccumulateGrad in its frames") {
  Training training;
  const StackId accumulates = training.made.stack({"libtorch_cpu.so:1:torch::autograd::Engine::thread_main()",
                                                   "libtorch_cpu.so:2:torch::autograd::AccumulateGrad::apply()"});
  training.before_recording(kBase, kWeightBytes);
  training.before_recording(kBase + 0x70000, kWeightBytes, accumulates);
  training.step();
  CHECK(training.kinds() == Bytes{{"gradient by frames", kWeightBytes}, {"parameter by behaviour", kWeightBytes}});
}

TEST_CASE("a cache of keys and values that is older than the events has its name in its frames") {
  Training training;
  const StackId allocates =
      training.made.stack({"/lib/python3.11/site-packages/vllm/v1/worker/gpu_model_runner.py:6529:"
                           "_allocate_kv_cache_tensors"});
  training.before_recording(kBase, 4096, allocates);
  training.step();
  CHECK(training.kinds() == Bytes{{"kv_cache by frames", 4096}});
}

TEST_CASE("the part of an inference server is what stacks with its code asked for, and the rest is around it") {
  const std::string packages = "/lib/python3.11/site-packages/";
  SnapshotBuilder builder;
  builder.segment(0x1000, 16384)
      .active(4096, 4000,
              {packages + "torch/functional.py:1:zeros", packages + "vllm/v1/worker/gpu_model_runner.py:6529:make",
               packages + "trl/generation/vllm_generation.py:347:init", "/app/train.py:14:main"})
      .active(2048, 2000, {packages + "sglang/srt/mem_cache/pool.py:9:make"})
      .active(1024, 1000, {packages + "trl/generation/vllm_generation.py:347:init", "/app/vllm/train.py:18:main"})
      .active(512, 500, {})
      .active(512, 400, {R"(\packages\vllm\worker\cache_engine.py:9:make)"});
  const Recording snapshot = builder.read();
  const MemoryState state = end_of(snapshot);
  const KindAccount part = server_kind_account(state, DeviceId{0});
  CHECK(bytes_of_kinds(part) == 6400);
  CHECK(bytes_of_kinds(difference(kind_account(state, DeviceId{0}), part)) == 1500);
  CHECK(bytes_of_kinds(difference(part, kind_account(state, DeviceId{0}))) == 0);
}

TEST_CASE("a closure's forward pass within the frames of an optimizer is none of its steps") {
  Training training;
  training.alloc(kBase, 512,
                 training.made.stack({"/lib/torch/optim/optimizer.py:400:wrapper", "/app/train.py:5:closure",
                                      "/lib/torch/nn/modules/module.py:1750:_call_impl", "/app/model.py:5:forward"}));
  training.backward_of(kBase);
  training.step();
  const MomentChoice first{
      .kind = MomentKind::event, .event = EventIndex(0), .time_us = 0, .annotation = {}, .device = {}};
  CHECK(training.kinds(first) == Bytes{{"activation by behaviour", 512}});
}

TEST_CASE("workspaces, buffers of NCCL, batches, moved gradients and master copies have frames that say so") {
  Training training;
  SmallSnapshot& made = training.made;
  training.alloc(kBase, 512, made.stack({"/app/model.py:5:forward", "lib.so:1:at::cuda::getNewWorkspace()"}));
  training.alloc(kBase + 0x10000, 1024,
                 made.stack({"/app/train.py:5:main", "lib.so:1:c10d::Reducer::initialize_buckets()"}));
  training.alloc(kBase + 0x20000, 2048, made.stack({"/app/train.py:8:main", "lib.so:1:at::native::_to_copy()"}));
  training.alloc(kBase + 0x30000, 4096, made.stack({"/lib/torch/utils/data/_utils/pin_memory.py:9:pin_memory"}));
  training.alloc(kBase + 0x40000, 300,
                 made.stack({"/app/train.py:3:main", "/lib/torch/nn/modules/module.py:900:_apply",
                             "/lib/torch/nn/modules/module.py:970:_apply"}));
  training.alloc(kBase + 0x50000, 700, made.stack({"/lib/deepspeed/runtime/zero/stage_1_and_2.py:560:__init__"}));
  CHECK(training.kinds() == Bytes{{"workspace by frames", 512},
                                  {"communication by frames", 1024},
                                  {"input by frames", 2048 + 4096},
                                  {"gradient by frames", 300},
                                  {"optimizer_state by frames", 700}});
}

TEST_CASE("what the program says of an allocation goes before frames and behaviour") {
  Training training;
  training.parameter();
  training.alloc(kBase + 0x20000, 300, training.made.stack({"/app/server.py:5:start"}));
  training.made.annotate(kBase, "{'module': 'lm_head', 'kind': 'Activations'}");
  training.made.annotate(kBase + 0x20000, "step 5");
  training.expects_declarations = true;
  CHECK(training.kinds() == Bytes{{"activation by declared", kWeightBytes}, {"unknown by none", 300}});
}

TEST_CASE("a user's rules go before everything, the first that matches wins") {
  Training training;
  training.parameter();
  training.alloc(kBase + 0x20000, 300, training.made.stack({"/app/server.py:5:start", "/app/cache.py:7:grow"}));
  const KindRules rules("# ours\n\n activation \t cache\\.py:\\d+:grow\r\ninput server\\.py\nworkspace ^lm_head$\n");
  SUBCASE("of frames") {
    CHECK(training.kinds({}, rules) == Bytes{{"parameter by frames", kWeightBytes}, {"activation by rules", 300}});
  }
  SUBCASE("of texts") {
    training.made.annotate(kBase, "lm_head");
    training.expects_declarations = true;
    CHECK(training.kinds({}, rules) == Bytes{{"workspace by rules", kWeightBytes}, {"activation by rules", 300}});
  }
}

TEST_CASE("KindRules say in which line something is no rule") {
  CHECK_THROWS_WITH_AS(KindRules("# ok\nactivations x"),
                       "line 2: expected parameter, gradient, optimizer_state, activation, input, kv_cache, temporary, "
                       "communication or workspace, found 'activations'",
                       Error);
  CHECK_THROWS_WITH_AS(KindRules("input"), "line 1: expected a regular expression after input", Error);
  CHECK_THROWS_WITH_AS(KindRules("unknown x"), doctest::Contains("found 'unknown'"), Error);
  CHECK_THROWS_WITH_AS(KindRules("input ("), doctest::Contains("line 1: '(' is not a regular expression"), Error);
  CHECK(KindRules("\n#\n").empty());
}

TEST_CASE("a text declares a kind where it is its name, or has a key that says so") {
  CHECK(declared_kind("Gradients") == MemoryKind::gradient);
  CHECK(declared_kind("optimizer state") == MemoryKind::optimizer_state);
  CHECK(declared_kind("OPTIMIZER_STATE") == MemoryKind::optimizer_state);
  CHECK(declared_kind("{'category': 'input'}") == MemoryKind::input);
  CHECK(declared_kind("module=lm_head;kind=temp") == MemoryKind::temporary);
  CHECK(declared_kind("component: weights, layer: 3") == MemoryKind::parameter);
  CHECK(declared_kind("the gradients of layer 3") == std::nullopt);
  CHECK(declared_kind("kind: red wine") == std::nullopt);
  CHECK(declared_kind("mankind: gradient") == std::nullopt);
  CHECK(declared_kind("") == std::nullopt);
}

TEST_CASE("a stack is of a kind that has nine tenths of its bytes") {
  const auto kind_of_stack = [](std::uint64_t of_other_bytes) {
    const Stack stack{"a.py:1:f"};
    SnapshotBuilder builder;
    builder.segment(0x10000, 2048).active(1024, 1000 - of_other_bytes, stack).active(1024, of_other_bytes, stack);
    const Recording recording = builder.read();
    MemoryState state = end_of(recording);
    set_kinds(state, {{MemoryKind::activation}, {MemoryKind::gradient}});
    const auto kinds = kinds_by_stack(state);
    return kinds.empty() ? MemoryKind::unknown : kinds.begin()->second;
  };
  CHECK(kind_of_stack(100) == MemoryKind::activation);
  CHECK(kind_of_stack(101) == MemoryKind::unknown);
  CHECK(kind_of_stack(900) == MemoryKind::gradient);
}
