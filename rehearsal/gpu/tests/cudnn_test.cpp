// cuDNN as a program sees it: descriptors and the memory that it requests.
#include "abi.hpp"
#include "loaded_library.hpp"

#include <array>
#include <cstdlib>
#include <doctest/doctest.h>
#include <utility>

using memviz::rehearsal::function;
using memviz::rehearsal::Handle;
using memviz::rehearsal::in_child;
using memviz::rehearsal::Outcome;

namespace {

// Returns the workspace that the plan of a graph with one operation of cuDNN requests, once that operation is
// destroyed.
std::int64_t plan_workspace_bytes(int operation_type) {
  const auto create = function<int(int, Handle*)>("cudnnBackendCreateDescriptor");
  const auto set = function<int(Handle, int, int, std::int64_t, const void*)>("cudnnBackendSetAttribute");
  const auto get = function<int(Handle, int, int, std::int64_t, std::int64_t*, void*)>("cudnnBackendGetAttribute");
  Handle operation = nullptr, graph = nullptr, heuristics = nullptr, config = nullptr, plan = nullptr;
  create(operation_type, &operation);
  create(15, &graph);
  create(8, &heuristics);
  create(4, &config);
  create(6, &plan);
  set(graph, 801, 15, 1, &operation);
  function<int(Handle)>("cudnnBackendDestroyDescriptor")(operation);
  set(heuristics, 201, 15, 1, &graph);
  std::int64_t count = 0, bytes = -1;
  get(heuristics, 202, 15, 1, &count, &config);
  set(plan, 401, 15, 1, &config);
  get(plan, 402, 3, 1, &count, &bytes);
  return bytes;
}

} // namespace

TEST_CASE("the plans of attention request 256 bytes where compute capability is 9.0") {
  for (const auto& [gpu, attention_bytes] : {std::pair{"h100-80", 256}, std::pair{"b200", 0}}) {
    const Outcome outcome = in_child([gpu = gpu, attention_bytes = attention_bytes] {
      setenv("MEMVIZ_REHEARSAL_GPU", gpu, 1);
      if (plan_workspace_bytes(41) != attention_bytes || plan_workspace_bytes(19) != attention_bytes) return 1;
      return plan_workspace_bytes(13) == 0 ? 0 : 2;
    });
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("the plan of a convolution requests what its tensors and its strides say, and another one nothing") {
  const Outcome outcome = in_child([] {
    const auto create = function<int(int, Handle*)>("cudnnBackendCreateDescriptor");
    const auto set = function<int(Handle, int, int, std::int64_t, const void*)>("cudnnBackendSetAttribute");
    const auto get = function<int(Handle, int, int, std::int64_t, std::int64_t*, void*)>("cudnnBackendGetAttribute");
    const int half = 2;
    const std::array<std::int64_t, 2> filter_strides{1, 1};
    const std::array<std::int64_t, 4> dimensions{8, 64, 64, 64}, strides{64 * 64 * 64, 64 * 64, 64, 1};
    Handle form = nullptr, tensor = nullptr, operation = nullptr, heuristics = nullptr;
    create(1, &form);
    set(form, 103, 3, 2, filter_strides.data());
    create(17, &tensor);
    set(tensor, 901, 1, 1, &half);
    set(tensor, 902, 3, 4, dimensions.data());
    set(tensor, 903, 3, 4, strides.data());
    create(10, &operation);
    set(operation, 702, 15, 1, &form);
    for (const int name : {703, 704, 705})
      set(operation, name, 15, 1, &tensor);
    function<int(Handle)>("cudnnBackendFinalize")(operation);
    create(8, &heuristics);
    set(heuristics, 201, 15, 1, &operation);
    std::int64_t count = 0;
    get(heuristics, 202, 15, 0, &count, nullptr);
    if (count != 2) return 1;
    std::array<Handle, 2> configurations{};
    std::array<std::int64_t, 2> bytes{-1, -1};
    for (Handle& configuration : configurations)
      create(4, &configuration);
    get(heuristics, 202, 15, 2, &count, configurations.data());
    for (std::size_t index = 0; index < 2; ++index) {
      Handle plan = nullptr;
      create(6, &plan);
      set(plan, 401, 15, 1, &configurations[index]);
      get(plan, 402, 3, 1, &count, &bytes[index]);
    }
    if (bytes[0] != 3 * 8 * 2 * 64 * 64 * 64 + 16 || bytes[1] != 0) return 2;
    auto* const is_optional = function<int(std::uint64_t)>("memviz_rehearsal_is_optional");
    return is_optional(14 << 20) != 0 && is_optional(12 << 20) == 0 ? 0 : 3;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("recurrent networks request memory by the lengths and the dropout that were set") {
  const Outcome outcome = in_child([] {
    using Set = int(Handle, int, int, int, int, int, int, int, int, int, int, int, int, Handle, unsigned);
    using SetSequences = int(Handle, int, int, int, int, int, const int*, const void*);
    using Sizes = int(Handle, Handle, int, Handle, std::size_t*, std::size_t*);
    Handle network = nullptr, sequences = nullptr, dropout = nullptr;
    std::size_t states_bytes = 0, workspace_bytes = 0, reserve_bytes = 0;
    function<int(Handle*)>("cudnnCreateRNNDescriptor")(&network);
    function<int(Handle*)>("cudnnCreateRNNDataDescriptor")(&sequences);
    function<int(Handle*)>("cudnnCreateDropoutDescriptor")(&dropout);
    function<int(Handle, std::size_t*)>("cudnnDropoutGetStatesSize")(nullptr, &states_bytes);
    if (states_bytes != 6488064) return 1;
    function<int(Handle, Handle, float, void*, std::size_t, unsigned long long)>("cudnnSetDropoutDescriptor")(
        dropout, nullptr, 0.1F, nullptr, 0, 0);
    function<Set>("cudnnSetRNNDescriptor_v8")(network, 0, 2, 2, 1, 0, 0, 0, 0, 256, 512, 512, 2, dropout, 0);
    const std::array<int, 8> lengths{50, 40, 30, 20, 10, 5, 4, 3};
    function<SetSequences>("cudnnSetRNNDataDescriptor")(sequences, 0, 1, 50, 8, 256, lengths.data(), nullptr);
    auto* const sizes = function<Sizes>("cudnnGetRNNTempSpaceSizes");
    sizes(nullptr, network, 1, sequences, &workspace_bytes, &reserve_bytes);
    if (workspace_bytes != 75809024 || reserve_bytes != 7401728) return 2;
    sizes(nullptr, network, 0, sequences, nullptr, &reserve_bytes);
    return reserve_bytes == 0 ? 0 : 3;
  });
  CHECK(outcome.status == 0);
}

TEST_CASE("batch normalization requests a workspace for images with the channels last") {
  const Outcome outcome = in_child([] {
    using Set = int(Handle, int, int, const int*, const int*);
    Handle images = nullptr;
    std::size_t forward_bytes = 0, backward_bytes = 0;
    const auto describe = [&](std::array<int, 4> strides) {
      const std::array<int, 4> dimensions{16, 64, 126, 126};
      function<Set>("cudnnSetTensorNdDescriptor")(images, 2, 4, dimensions.data(), strides.data());
      function<int(Handle, int, int, Handle, Handle, Handle, Handle, Handle, std::size_t*)>(
          "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize")(nullptr, 1, 0, images, nullptr, images, nullptr,
                                                                      nullptr, &forward_bytes);
      function<int(Handle, int, int, Handle, Handle, Handle, Handle, Handle, Handle, Handle, std::size_t*)>(
          "cudnnGetBatchNormalizationBackwardExWorkspaceSize")(nullptr, 1, 0, images, nullptr, images, nullptr, images,
                                                               nullptr, nullptr, &backward_bytes);
    };
    function<int(Handle*)>("cudnnCreateTensorDescriptor")(&images);
    describe({126 * 126 * 64, 1, 126 * 64, 64});
    if (forward_bytes != 820484 || backward_bytes != 1355812) return 1;
    describe({126 * 126 * 64, 126 * 126, 126, 1});
    return forward_bytes == 0 && backward_bytes == 0 ? 0 : 2;
  });
  CHECK(outcome.status == 0);
}
