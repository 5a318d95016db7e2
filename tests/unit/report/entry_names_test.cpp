#include "analysis/report/entry_names.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

using Frames = std::vector<std::string_view>; ///< outermost first

std::string operation(const Frames& frames) {
  test::SmallSnapshot made;
  const StackId stack = made.stack(frames);
  return operation_of(made.frames(), stack);
}

std::string weight(const Frames& frames) {
  test::SmallSnapshot made;
  const StackId stack = made.stack(frames);
  return weight_name(made.frames(), stack, user_line_of(made.frames(), stack));
}

constexpr std::string_view kUser = "/app/model.py:5:forward";
constexpr std::string_view kFunctional = "/lib/site-packages/torch/nn/functional.py:1:layer_norm";
constexpr std::string_view kLinear = "/lib/site-packages/torch/nn/modules/linear.py:125:forward";
constexpr std::string_view kCall = "/lib/site-packages/torch/nn/modules/module.py:1750:_call_impl";
constexpr std::string_view kEmpty = "??:0:at::_ops::empty_memory_format::call(c10::ArrayRef<long>)";

} // namespace

TEST_CASE("an operation is the outermost operator between the allocator and Python") {
  CHECK(operation({kUser, kFunctional, "??:0:torch::autograd::THPVariable_linear(_object*)",
                   "??:0:at::_ops::linear::call(at::Tensor const&)", "??:0:at::_ops::addmm::call(at::Tensor const&)",
                   kEmpty}) == "linear");
  CHECK(operation({kUser, kEmpty}) == "empty");
  // Behind Python's frames are those of the callers of Python.
  CHECK(operation({"??:0:at::_ops::custom::call()", kUser, "??:0:at::_ops::mul_Tensor::call(at::Tensor const&)"}) ==
        "mul");
  CHECK(operation({"??:0:at::_ops::custom::call()", "??:0:_PyEval_EvalFrameDefault", "??:0:at::_ops::exp::call()"}) ==
        "exp");
}

TEST_CASE("without at::_ops an operation is what autograd, else what the kernels call it") {
  CHECK(operation({kUser, "??:0:torch::autograd::VariableType::(anonymous namespace)::mul_Tensor(c10::DispatchKeySet)",
                   "??:0:at::native::mul(at::Tensor const&)"}) == "mul");
  CHECK(operation({kUser, "??:0:at::native::structured_mm_out_cuda::impl(at::Tensor const&)"}) == "mm");
}

TEST_CASE("where only Python is recorded an operation is a function of torch's that the user's line calls") {
  CHECK(operation({kUser, kCall, kLinear, kFunctional}) == "layer_norm");
  CHECK(operation({kUser, kCall, kLinear}) == "linear");
  CHECK(operation({kUser, "\\lib\\site-packages\\torch\\nn\\modules\\conv.py:12:_conv_forward"}) == "conv");
  // A caller of the user's line allocated nothing.
  CHECK(operation({kCall, "/lib/site-packages/torch/nn/modules/container.py:250:forward", kUser}).empty());
  CHECK(operation({kLinear, kUser}).empty());
  CHECK(operation({}).empty());
}

TEST_CASE("the kernel of an operator shows where its name ends and its overload begins") {
  CHECK(operation({kUser, "??:0:at::_ops::softmax_int::call(at::Tensor const&)",
                   "??:0:at::_ops::softmax_int::redispatch(at::Tensor const&)",
                   "??:0:at::native::softmax(at::Tensor const&)",
                   "??:0:at::_ops::_softmax::call(at::Tensor const&)"}) == "softmax");
  // The mark of an operator within belongs to another one.
  CHECK(operation({kUser, "??:0:at::_ops::empty_like::call(at::Tensor const&)", kEmpty,
                   "??:0:at::native::empty_cuda(c10::ArrayRef<long>)"}) == "empty_like");
}

TEST_CASE("the overload is no part of an operator's name") {
  CHECK(without_overload("mul_Tensor") == "mul");
  CHECK(without_overload("pow_Tensor_Scalar") == "pow");
  CHECK(without_overload("add__Scalar") == "add_");
  CHECK(without_overload("to_dtype_layout") == "to");
  CHECK(without_overload("scaled_dot_product_attention") == "scaled_dot_product_attention");
  CHECK(without_overload("_softmax") == "_softmax");
}

TEST_CASE("a weight is named after its module and the user's line that made it") {
  const std::string_view constructor = "/lib/site-packages/torch/nn/modules/linear.py:106:__init__";
  CHECK(weight({"/app/model.py:22:__init__", constructor, kEmpty}) == "linear in __init__ model.py:22");
  CHECK(weight({"/app/train.py:12:main", "/lib/site-packages/torch/nn/modules/module.py:900:_apply"}) ==
        "main train.py:12");
  CHECK(weight({"/app/train.cpp:12:Net::Net()", "??:0:torch::nn::LinearImpl::LinearImpl(torch::nn::LinearOptions)",
                "??:0:torch::nn::LinearImpl::reset()", kEmpty}) == "Linear in Net::Net train.cpp:12");
  CHECK(weight({constructor}) == "linear");
  CHECK(weight({}).empty());
}

TEST_CASE("a name is no longer than a table has room for") {
  const std::string frame = "/app/model.py:22:" + std::string(100'000, 'x');
  CHECK(weight({frame}).size() <= kMostEntryColumns);
  const std::string function = "/lib/site-packages/torch/nn/functional.py:1:" + std::string(100'000, 'x');
  CHECK(operation({function}).size() <= kMostEntryColumns);
}
