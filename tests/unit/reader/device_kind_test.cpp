#include "memviz/device_kind.hpp"

#include "memviz/explain.hpp"
#include "memviz/warnings.hpp"
#include "support/contains.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace memviz;
using namespace memviz::test;

namespace {

/// An out-of-memory error on a device whose free memory is in small pieces, for a request by a line of `file`.
SmallSnapshot failed_on(std::string_view frame) {
  constexpr std::uint64_t kMiB = 1 << 20;
  SmallSnapshot snapshot;
  const StackId stack = snapshot.stack({frame});
  for (std::uint64_t i = 1; i <= 8; ++i) {
    snapshot.segment(i << 30, 20 * kMiB).active(10 * kMiB, 10 * kMiB, stack).inactive(10 * kMiB);
    snapshot.event(Action::segment_alloc, i << 30, 20 * kMiB, stack);
    snapshot.event(Action::alloc, i << 30, 10 * kMiB, stack);
  }
  snapshot.event(Action::oom, 0, 40 * kMiB, stack);
  return snapshot;
}

bool asks_what_if(const Recording& recording) {
  const auto devices = explain(end_of(recording), {});
  return std::ranges::any_of(devices, [](const DeviceExplanation& device) { return !device.what_ifs.empty(); });
}

bool says(const Recording& recording, std::string_view part) {
  return std::ranges::any_of(warnings_of(end_of(recording)),
                             [&](const std::string& warning) { return contains(warning, part); });
}

} // namespace

TEST_CASE("snapshots of other devices are named as what they are, and no setting of CUDA is tried for them") {
  SUBCASE("CUDA") {
    const Recording recording = failed_on("/app/train.py:1:main").take();
    CHECK(device_kind_of(recording) == DeviceKind::cuda);
    CHECK(asks_what_if(recording));
    CHECK_FALSE(says(recording, "recorded "));
  }
  SUBCASE("torch.xpu, by its two settings") {
    SmallSnapshot snapshot = failed_on("/app/train.py:1:main");
    snapshot.setting("PYTORCH_ALLOC_CONF", "").setting("expandable_segments", "False");
    const Recording recording = snapshot.take();
    CHECK(device_kind_of(recording) == DeviceKind::xpu);
    CHECK_FALSE(asks_what_if(recording));
    CHECK(says(recording, "recorded by torch.xpu on Intel GPUs"));
  }
  SUBCASE("more settings are those of CUDA") {
    SmallSnapshot snapshot = failed_on("/app/train.py:1:main");
    snapshot.setting("PYTORCH_ALLOC_CONF", "").setting("expandable_segments", "False").setting("max_split_size", "-1");
    CHECK(device_kind_of(snapshot.take()) == DeviceKind::cuda);
  }
  SUBCASE("torch_npu, by its frames") {
    const Recording recording = failed_on("/lib/python3.11/site-packages/torch_npu/npu/memory.py:1:alloc").take();
    CHECK(device_kind_of(recording) == DeviceKind::npu);
    CHECK_FALSE(asks_what_if(recording));
    CHECK(says(recording, "Ascend NPUs"));
  }
  SUBCASE("ROCm has CUDA's allocator") {
    const Recording recording = failed_on("/lib/libtorch_hip.so:1:at::native::empty").take();
    CHECK(device_kind_of(recording) == DeviceKind::rocm);
    CHECK(asks_what_if(recording));
    CHECK(says(recording, "AMD GPUs"));
  }
}
