#include "analysis/kinds/stack_class.hpp"
#include "support/rewound.hpp"
#include "support/training.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

constexpr std::uint64_t kPlace = 0x100000;
const std::string kFsdp2 = "/lib/torch/distributed/fsdp/_fully_shard/";
const std::string kFsdp1 = "/lib/torch/distributed/fsdp/";
const std::string kZero = "/lib/deepspeed/runtime/zero/";
const std::string kEngine = "libtorch_cpu.so:1:torch::autograd::Engine::thread_main()";

StackId stack_in(Training& training, const std::vector<std::string>& frames) {
  const std::vector<std::string_view> views(frames.begin(), frames.end());
  return training.made.stack(views);
}

StackClass sharded_class_of(const std::vector<std::string>& frames) {
  Training training;
  const StackId stack = stack_in(training, frames);
  return StackClasses(training.made.frames()).of(stack);
}

StackId reduction_of(Training& training) {
  return stack_in(training,
                  {kEngine, kFsdp2 + "_fsdp_param_group.py:688:post_backward",
                   kFsdp2 + "_fsdp_collectives.py:597:foreach_reduce", kFsdp2 + "_fsdp_collectives.py:59:allocate"});
}

} // namespace

TEST_CASE("FSDP's parameters, gathers and reductions") {
  using enum StackClass;
  const std::vector<std::pair<std::vector<std::string>, StackClass>> stacks{
      {{"/app/train.py:3:main", kFsdp2 + "_fsdp_param.py:307:_init_sharded_param"}, parameter},
      {{kFsdp2 + "_fsdp_collectives.py:463:foreach_all_gather_copy_out",
        kFsdp2 + "_fsdp_param.py:825:alloc_all_gather_outputs", kFsdp2 + "_fsdp_param.py:1069:alloc_storage"},
       parameter},
      {{kFsdp2 + "_fsdp_param_group.py:407:unshard", kFsdp2 + "_fsdp_collectives.py:351:foreach_all_gather",
        kFsdp2 + "_fsdp_collectives.py:59:allocate"},
       communication},
      {{kFsdp2 + "_fsdp_collectives.py:597:foreach_reduce", kFsdp2 + "_fsdp_collectives.py:59:allocate"}, reduction},
      // The places of torch 2.4 to 2.6.
      {{"/lib/torch/distributed/_composable/fsdp/_fsdp_collectives.py:90:all_gather_copy_in_cuda"}, communication},
      {{kFsdp1 + "_runtime_utils.py:305:_unshard", kFsdp1 + "_flat_param.py:1381:unshard",
        kFsdp1 + "_flat_param.py:1408:_alloc_padded_unsharded_flat_param", "/lib/torch/storage.py:1270:_resize_"},
       parameter},
      {{kEngine, kFsdp1 + "_runtime_utils.py:848:_reduce_grad",
        kFsdp1 + "_runtime_utils.py:901:_get_reduce_scatter_tensors"},
       reduction},
      {{kEngine, kFsdp1 + "_runtime_utils.py:764:_post_backward_hook"}, reduction},
      {{kEngine, kFsdp1 + "_flat_param.py:1600:prepare_gradient_for_backward"}, backward},
      {{"/app/fsdp/train.py:3:reduce"}, forward},
  };
  for (const auto& [frames, stack_class] : stacks) {
    const std::string innermost = frames.back();
    CAPTURE(innermost);
    CHECK(sharded_class_of(frames) == stack_class);
  }
}

TEST_CASE("the parts of DeepSpeed's ZeRO") {
  using enum StackClass;
  const std::string engine = "/lib/deepspeed/runtime/engine.py:2094:_configure_optimizer";
  const std::string flatten = "/lib/torch/_utils.py:602:_flatten_dense_tensors";
  const std::vector<std::pair<std::vector<std::string>, StackClass>> stacks{
      {{engine, kZero + "stage_1_and_2.py:505:__init__", kZero + "stage_1_and_2.py:1399:flatten_dense_tensors_aligned",
        flatten},
       parameter},
      {{engine, kZero + "stage_1_and_2.py:560:__init__"}, master_copy},
      {{kEngine, kZero + "stage_1_and_2.py:1372:grad_handling_hook", kZero + "stage_1_and_2.py:3266:setup_buckets"},
       bucket},
      {{kEngine, kZero + "stage_1_and_2.py:2367:allreduce_bucket", flatten}, reduction},
      {{"/lib/deepspeed/runtime/engine.py:3086:allreduce_gradients",
        kZero + "stage_1_and_2.py:2192:copy_grads_in_partition"},
       reduction},
      {{kZero + "stage_1_and_2.py:3117:step", flatten}, gradient},
      {{kZero + "stage_1_and_2.py:3039:step", kZero + "stage_1_and_2.py:2684:get_grad_norm_direct"}, optimizer},
      {{kZero + "stage3.py:2913:step", "/lib/torch/optim/adam.py:178:_init_group"}, optimizer_state},
      {{kZero + "stage3.py:443:__init__", kZero + "utils.py:237:defragment"}, parameter},
      {{kZero + "stage3.py:763:_setup_for_real_optimizer", kZero + "stage3.py:1170:_create_fp32_partitions"},
       master_copy},
      {{kZero + "stage3.py:782:_setup_for_real_optimizer"}, bucket},
      {{kZero + "partition_parameters.py:1610:partition", kZero + "partition_parameters.py:1836:_partition_param"},
       parameter},
      {{"/lib/torch/nn/modules/module.py:1789:_call_impl",
        kZero + "partitioned_param_coordinator.py:406:_fetch_sub_module_impl",
        kZero + "partition_parameters.py:795:wait", "/lib/deepspeed/utils/nvtx.py:33:wrapped_fn"},
       parameter},
      {{kZero + "partition_parameters.py:1475:_all_gather_coalesced",
        kZero + "partition_parameters.py:1343:_all_gather_dtype"},
       communication},
      {{kEngine, kZero + "stage3.py:1931:__avg_scatter_grads",
        "/lib/deepspeed/runtime/comm/coalesced_collectives.py:122:reduce_scatter_coalesced"},
       reduction},
      {{kZero + "stage3.py:2913:step", kZero + "stage3.py:2686:_prepare_fp32_grad_for_sub_group", flatten}, gradient},
  };
  for (const auto& [frames, stack_class] : stacks) {
    const std::string innermost = frames.back();
    CAPTURE(innermost);
    CHECK(sharded_class_of(frames) == stack_class);
  }
}

TEST_CASE("a reduction leaves the gradients of this rank, and its buffers are communication") {
  Training training;
  training.parameter();
  for (int step = 0; step < 2; ++step) {
    training.forward();
    training.backward();
    training.alloc(kBase + kPlace, 9000, reduction_of(training));     // its input
    training.alloc(kBase + 2 * kPlace, 2250, reduction_of(training)); // its output
    training.free(kBase + kPlace);
    training.alloc(kBase + 3 * kPlace, 700, training.backward_stack());
    training.free(kBase + 3 * kPlace);
    training.step();
    if (step > 0) break;
    training.free(kBase + 2 * kPlace);
    training.zero_grad();
  }
  CHECK(training.kinds()["gradient by behaviour"] == 2250 + kWeightBytes);
}

TEST_CASE("the buffer of a reduction that the recording ends in is communication") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + kPlace, 9000, reduction_of(training));
  CHECK(training.kinds()["communication by frames"] == 9000);
}

TEST_CASE("a whole gradient that a reduction frees within its backward pass is a gradient") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + kPlace, 9000, reduction_of(training));
  training.zero_grad(); // copied into the buffer
  training.alloc(kBase + 2 * kPlace, 700, training.backward_stack());
  training.free(kBase + 2 * kPlace);
  training.free(kBase + kPlace);
  training.alloc(kBase + 2 * kPlace, kWeightBytes, training.backward_stack());
  MomentChoice moment = after_event(8); // before it is freed
  SUBCASE("in the pass in which the recording ends") {
  }
  SUBCASE("in a pass that is over") {
    training.step();
  }
  SUBCASE("and so is the next of its size") {
    moment = {};
  }
  CHECK(training.kinds(moment)["gradient by behaviour"] == kWeightBytes);
}

TEST_CASE("what has no parameter's size and is freed while a reduction copies is not its gradient") {
  Training training;
  training.parameter();
  training.forward();
  training.backward();
  training.alloc(kBase + 3 * kPlace, 900, training.backward_stack());
  training.alloc(kBase + kPlace, 9000, reduction_of(training));
  training.zero_grad(); // copied into the buffer
  training.free(kBase + 3 * kPlace);
  training.alloc(kBase + 2 * kPlace, 700, training.backward_stack());
  training.free(kBase + 2 * kPlace);
  training.free(kBase + kPlace);
  training.step();
  CHECK(training.kinds(after_event(9))["gradient by behaviour"] == kWeightBytes);
}

TEST_CASE("ZeRO's buckets are communication, and the one of the partition's gradients has its size") {
  Training training;
  training.parameter();
  const StackId stack = stack_in(training, {kZero + "stage3.py:782:_setup_for_real_optimizer"});
  training.alloc(kBase + kPlace, 100000, stack);
  training.alloc(kBase + 2 * kPlace, kWeightBytes, stack);
  CHECK(training.kinds() == Bytes{{"parameter by frames", kWeightBytes},
                                  {"communication by frames", 100000},
                                  {"gradient by behaviour", kWeightBytes}});
}
