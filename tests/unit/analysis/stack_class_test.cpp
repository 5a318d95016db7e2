#include "analysis/kinds/stack_class.hpp"

#include "analysis/kinds/function_name.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Classifies the stack of a program without Python: functions outermost first, with PyTorch's calls that allocate
/// within the last one.
StackClass class_of(const std::vector<std::string>& functions,
                    const std::string& allocates = "at::_ops::empty::call()") {
  SmallSnapshot made;
  std::vector<std::string> frames{"libc.so.6:0:??", "program:0:main"};
  for (const std::string& function : functions)
    frames.push_back("libtorch_cpu.so:0:" + function);
  frames.push_back("libtorch_cpu.so:0:" + allocates);
  frames.emplace_back(
      "libtorch_cpu.so:0:void c10::impl::wrap_kernel_functor_unboxed_<at::Tensor (c10::Scalar)>::call()");
  const std::vector<std::string_view> views(frames.begin(), frames.end());
  const StackId stack = made.stack(views);
  return StackClasses(made.frames()).of(stack);
}

/// Frames of Python outermost first.
StackClass class_in_python(const std::vector<std::string>& frames) {
  SmallSnapshot made;
  std::vector<std::string_view> views{"/app/train.py:3:main"};
  views.insert(views.end(), frames.begin(), frames.end());
  const StackId stack = made.stack(views);
  return StackClasses(made.frames()).of(stack);
}

const std::string kAdamStep = "torch::optim::AdamW::step(std::function<at::Tensor ()>)";

} // namespace

TEST_CASE("the name of a function is what is between its result's type and its parameters") {
  CHECK(function_name("at::Tensor::backward() const") == "at::Tensor::backward");
  CHECK(function_name("void torch::nn::Module::to_impl<c10::Device&, bool&>(c10::Device&, bool&)") ==
        "torch::nn::Module::to_impl");
  CHECK(function_name("torch::nn::ConvNdImpl<2ul, torch::nn::Conv2dImpl>::reset()") == "torch::nn::ConvNdImpl::reset");
  CHECK(function_name("at::(anonymous namespace)::structured_mul::set_output(long)") ==
        "at::structured_mul::set_output");
  CHECK(function_name("app::train(torch::optim::Optimizer&)::{lambda()#1}::operator()() const") == "app::train");
  CHECK(function_name("std::map<int, std::vector<long> > make<int>(int)") == "make");
  CHECK(function_name("aten::zeros_like") == "aten::zeros_like");
  CHECK(function_name("std::ostream& operator<<(std::ostream&, app::Tensor)") == "operator");
  CHECK(function_name("") == "");
  CHECK(is_constructor("torch::nn::LinearImpl::LinearImpl"));
  CHECK(is_constructor("Model::Model"));
  CHECK_FALSE(is_constructor("torch::nn::LinearImpl::reset"));
  CHECK_FALSE(is_constructor("main"));
}

TEST_CASE("modules of C++ make parameters where they are constructed and moved") {
  CHECK(class_of({"Net::Net()", "torch::nn::LinearImpl::LinearImpl(torch::nn::LinearOptions const&)",
                  "torch::nn::LinearImpl::reset()"}) == StackClass::parameter);
  CHECK(class_of({"torch::nn::ConvNdImpl<2ul, torch::nn::Conv2dImpl>::reset()"}) == StackClass::parameter);
  CHECK(class_of({"torch::nn::Module::to(c10::Device, bool)",
                  "void torch::nn::Module::to_impl<c10::Device&, bool&>(c10::Device&, bool&)"},
                 "at::native::_to_copy(at::Tensor const&)") == StackClass::parameter);
  SUBCASE("but not where they are called, nor in functions that have one as an argument") {
    CHECK(class_of({"Net::forward(at::Tensor)", "torch::nn::LinearImpl::forward(at::Tensor const&)"}) ==
          StackClass::module_call);
    CHECK(class_of({"app::predict(torch::nn::LinearImpl::LinearImpl)"}) == StackClass::forward);
    CHECK(class_of({"Net::Net()"}) == StackClass::forward);
  }
}

TEST_CASE("an optimizer of C++ makes its state by zeros_like()") {
  CHECK(class_of({kAdamStep}, "torch::zeros_like(at::Tensor const&)") == StackClass::optimizer_state);
  CHECK(class_of({kAdamStep}, "at::_ops::zeros_like::call(at::Tensor const&)") == StackClass::optimizer_state);
  CHECK(class_of({kAdamStep}, "at::_ops::sqrt::call(at::Tensor const&)") == StackClass::optimizer);
  SUBCASE("but what a closure or the program itself does is none of its steps") {
    CHECK(class_of({"torch::optim::LBFGS::step(std::function<at::Tensor ()>)",
                    "train()::{lambda()#1}::operator()() const", "Net::forward(at::Tensor)"}) ==
          StackClass::module_call);
    CHECK(class_of({"app::train(torch::optim::Optimizer&)"}, "torch::zeros_like(at::Tensor const&)") ==
          StackClass::zeros_like);
  }
}

TEST_CASE("a copy in a program without Python is one of a batch outside of forward()") {
  CHECK(class_of({"train()"}, "at::native::_to_copy(at::Tensor const&)") == StackClass::copy);
  CHECK(class_of({"Net::forward(at::Tensor)"}, "at::native::_to_copy(at::Tensor const&)") == StackClass::module_call);
  CHECK(class_of({"torch::data::transforms::Stack<torch::data::Example<> >::apply_batch(int)"}) ==
        StackClass::data_loader);
}

TEST_CASE("what a convolution of cuDNN takes to run is a workspace") {
  CHECK(class_of({}, "at::native::run_conv_plan(cudnnContext*, at::Tensor const&)") == StackClass::workspace);
}

TEST_CASE("what a backward pass makes for cuBLAS is a workspace, also if only exported functions have names") {
  CHECK(class_of({"torch::autograd::Engine::thread_main()", "torch::autograd::generated::MmBackward0::apply()",
                  "at::cuda::getCurrentCUDABlasHandle(bool)"},
                 "??") == StackClass::workspace);
}

TEST_CASE("communication is what a function does, not what it is given") {
  CHECK(class_of({"c10d::Reducer::initialize_buckets()"}) == StackClass::communication);
  CHECK(class_of({"std::_Function_handler<void (), c10d::Work::run()::{lambda()#1}>::_M_invoke()"}) ==
        StackClass::communication);
  CHECK(class_of({"app::train(c10d::ProcessGroup&)"}) == StackClass::forward);
}

TEST_CASE("Python's files have the same names on Windows") {
  CHECK(class_in_python({R"(\venv\Lib\site-packages\torch\optim\adamw.py:100:_init_group)"}) ==
        StackClass::optimizer_state);
  CHECK(class_in_python({R"(\venv\Lib\site-packages\torch\nn\modules\module.py:955:_apply)"}) == StackClass::parameter);
}

TEST_CASE("a program's own optimizer has a step() that torch/optim/optimizer.py calls") {
  const std::string wrapper = "/lib/torch/optim/optimizer.py:516:wrapper";
  CHECK(class_in_python({wrapper, "/app/muon.py:75:step"}) == StackClass::optimizer);
  CHECK(class_in_python({wrapper, "/lib/torch/utils/_contextlib.py:120:decorate_context", "/app/muon.py:75:step",
                         "/app/muon.py:12:orthogonalized"}) == StackClass::optimizer);
  SUBCASE("but a closure that it calls is none of it, nor is what another file does") {
    CHECK(class_in_python({wrapper, "/app/train.py:75:step", "/app/train.py:9:closure"}) == StackClass::forward);
    CHECK(class_in_python({wrapper, "/app/muon.py:75:step", "/app/train.py:9:loss_of"}) == StackClass::forward);
    CHECK(class_in_python({wrapper, "/app/muon.py:75:step", "/app/train.py:9:run", "/app/muon.py:3:loss_of"}) ==
          StackClass::forward);
    CHECK(class_in_python({"/app/train.py:75:step"}) == StackClass::forward);
  }
}

TEST_CASE("a hook of AccumulateGrad makes no gradient") {
  const std::string engine = "libtorch_cpu.so:1:torch::autograd::Engine::thread_main()";
  const std::string accumulates = "libtorch_cpu.so:2:torch::autograd::AccumulateGrad::apply()";
  CHECK(class_in_python({engine, accumulates}) == StackClass::accumulate_grad);
  CHECK(class_in_python({engine, accumulates, "/app/train.py:9:hook"}) == StackClass::backward);
  CHECK(class_in_python({engine, accumulates, "/app/train.py:9:hook", "/lib/torch/optim/adam.py:100:_init_group"}) ==
        StackClass::optimizer_state);
}

TEST_CASE("Module._apply() moves gradients as well") {
  const auto moved_at = [](int within, int line) {
    return class_in_python({"/lib/torch/nn/modules/module.py:1355:cuda",
                            "/lib/torch/nn/modules/module.py:" + std::to_string(within) + ":_apply",
                            "/lib/torch/nn/modules/module.py:" + std::to_string(line) + ":_apply",
                            "/lib/torch/nn/modules/module.py:1050:<lambda>"});
  };
  CHECK(moved_at(903, 930) == StackClass::parameter); // PyTorch 2.6
  CHECK(moved_at(903, 967) == StackClass::gradient);
  CHECK(moved_at(903, 991) == StackClass::parameter); // a buffer
  CHECK(moved_at(933, 966) == StackClass::parameter); // 2.15
  CHECK(moved_at(933, 1010) == StackClass::gradient);
  CHECK(moved_at(933, 1036) == StackClass::parameter);
}

TEST_CASE("a thread that computes a part of an operator decides no phase") {
  SmallSnapshot made;
  const StackId stack = made.stack({"libc.so.6:0:clone3", "libgomp.so.1:0:??",
                                    "libtorch_cpu.so:0:void at::internal::invoke_parallel<app::Net>(long, long)"});
  CHECK(StackClasses(made.frames()).of(stack) == StackClass::none);
  CHECK(class_of({}) == StackClass::forward);
}

TEST_CASE("what modules ask for is distinguished from what DataParallel and FSDP do to run them") {
  const std::string call = "/lib/torch/nn/modules/module.py:1750:_call_impl";
  CHECK(class_in_python({"/app/train.py:3:main", call, "/app/model.py:5:forward"}) == StackClass::module_call);
  CHECK(class_in_python({"/app/train.py:3:main", call, "/lib/torch/nn/parallel/replicate.py:95:replicate"}) ==
        StackClass::forward);
  CHECK(class_in_python({"/app/train.py:3:main", "/app/model.py:5:forward"}) == StackClass::forward);
  CHECK(class_in_python({"/app/train.py:9:main", "/lib/torch/nn/functional.py:3462:cross_entropy"}) ==
        StackClass::module_call);
}

TEST_CASE("what loads weights, FSDP and optimizers that load their state have their own names") {
  const std::string copy = "libtorch_cpu.so:1:at::native::_to_copy(at::Tensor const&)";
  const std::string to_device = "libtorch_cpu.so:1:at::_ops::to_dtype_layout::call(at::Tensor const&)";
  CHECK(class_in_python({to_device, copy}) == StackClass::copy);
  CHECK(class_in_python({"/app/io.py:3:load_weights", to_device, copy}) == StackClass::parameter);
  CHECK(class_in_python({"/app/io.py:3:load_batch", to_device, copy}) == StackClass::copy);
  CHECK(class_in_python({"libtorch_cpu.so:1:at::_ops::to_dtype::call(at::Tensor const&)", copy}) ==
        StackClass::forward);
  CHECK(class_in_python({"/lib/torch/serialization.py:9:_deserialize", to_device, copy}) == StackClass::checkpoint);
  CHECK(class_in_python({"/lib/torch/optim/optimizer.py:9:load_state_dict", to_device, copy}) ==
        StackClass::optimizer_state);
  const std::string fsdp = "/lib/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:3:";
  CHECK(class_in_python({fsdp + "_init_sharded_param"}) == StackClass::parameter);
  CHECK(class_in_python({fsdp + "to_accumulated_grad_if_needed"}) == StackClass::forward);
}

TEST_CASE("weights are what create_weights() of a server's layers makes") {
  const std::string empty = "libtorch_cpu.so:1:at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)";
  CHECK(class_in_python({"/lib/vllm/model_executor/layers/linear.py:201:create_weights",
                         "/lib/torch/utils/_device.py:3:__torch_function__", empty}) == StackClass::parameter);
  CHECK(class_in_python({"/app/model.py:5:recreate_weights_of", empty}) == StackClass::forward);
}

TEST_CASE("weights are what a server quantises or repacks after loading, and what its LoRA layers make") {
  const std::string empty = "libtorch_cpu.so:1:at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)";
  CHECK(class_in_python({"/lib/vllm/model_executor/layers/quantization/fp8.py:320:process_weights_after_loading",
                         "/lib/vllm/_custom_ops.py:1500:scaled_fp8_quant", empty}) == StackClass::parameter);
  CHECK(
      class_in_python({"/lib/vllm/layers/quantization/mxfp4.py:339:process_weights_after_loading",
                       "/lib/vllm/mxfp4.py:284:_setup_kernel", "/lib/vllm/oracle/mxfp4.py:728:convert_to_kernel_format",
                       "/lib/vllm/mxfp4_utils.py:87:_swizzle_mxfp4", "/lib/triton_kernels/tensor.py:261:convert_layout",
                       "/lib/triton_kernels/hopper_value.py:188:swizzle_data",
                       "/lib/triton_kernels/hopper_value.py:41:_pack_bits", empty}) == StackClass::parameter);
  CHECK(class_in_python({"/lib/vllm/lora/layers/base_linear.py:70:create_lora_weights", empty}) ==
        StackClass::parameter);
}

TEST_CASE("SGLang's pools of tokens and of requests are a cache of keys and values") {
  const std::string zeros = "libtorch_cpu.so:1:at::_ops::zeros::call(c10::ArrayRef<c10::SymInt>)";
  const std::string folder = "/lib/sglang/srt/mem_cache/";
  CHECK(class_in_python({folder + "memory_pool.py:500:_create_buffers", folder + "memory_pool.py:512:<listcomp>",
                         zeros}) == StackClass::kv_cache);
  CHECK(class_in_python({folder + "allocator.py:130:clear", zeros}) == StackClass::kv_cache);
  CHECK(class_in_python({"/app/memory_pool.py:5:make", zeros}) == StackClass::forward);
}

TEST_CASE("a default device's frames are those of the function that it serves") {
  CHECK(class_in_python({"/lib/torch/optim/adam.py:9:_init_group", "/lib/torch/utils/_device.py:3:__torch_function__",
                         "libtorch_cpu.so:1:at::_ops::zeros_like::call(at::Tensor const&)"}) ==
        StackClass::optimizer_state);
}

TEST_CASE("random numbers, zeros and caches of keys and values are known by their operators and files") {
  const std::string randn = "libtorch_cpu.so:1:at::_ops::randn::call(c10::ArrayRef<c10::SymInt>)";
  CHECK(class_in_python({randn}) == StackClass::random);
  CHECK(class_in_python({"/app/model.py:3:__init__", randn}) == StackClass::forward);
  CHECK(class_in_python({"libtorch_cpu.so:1:at::_ops::zeros_like::call(at::Tensor const&)"}) == StackClass::zeros_like);
  const std::string called = "/lib/torch/nn/modules/module.py:1750:_call_impl";
  const std::string cat = "libtorch_cpu.so:1:at::_ops::cat::call(c10::IListRef<at::Tensor> const&, long)";
  CHECK(class_in_python({called, "/app/model.py:5:forward", cat}) == StackClass::cat_call);
  CHECK(class_in_python({called, "/lib/transformers/cache_utils.py:5:update", cat}) == StackClass::kv_cache);
}
