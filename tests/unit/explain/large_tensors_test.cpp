#include "analysis/causes/large_tensors.hpp"

#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

constexpr std::uint64_t kUnit = 4096;
using Frames = std::vector<std::string_view>;

const Frames kMask{"/app/train.py:30:main", "/app/train.py:7:mask"};
const Frames kMaskToo{"/app/train.py:30:main", "/app/train.py:8:mask"};
const Frames kHead{"/app/train.py:30:main", "/app/train.py:6:mask",
                   "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl",
                   "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:134:forward"};
const Frames kBatch{"/app/train.py:30:main", "/app/data.py:5:batch"};
const Frames kLayer{"/app/train.py:31:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:2:gelu"};
const Frames kLinear{"/app/train.py:31:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:2:gelu",
                     "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:134:forward"};

/// The blocks of a program, in units.
class Blocks {
public:
  Blocks& add(std::uint64_t units, const Frames& frames, MemoryKind kind = MemoryKind::unknown, int times = 1) {
    for (int i = 0; i < times; ++i)
      rows_.push_back({units * kUnit, made_.stack(frames), kind});
    return *this;
  }
  [[nodiscard]] Cause large(std::uint64_t request_units, const Frames& frames) {
    const StackId stack = made_.stack(frames);
    recording_ = made_.take();
    CallLineFinder finder(recording_.frames);
    Request request;
    request.bytes = request_units * kUnit;
    return large_tensors(recording_.frames, blocks(finder), request, finder.of(stack));
  }
  [[nodiscard]] Cause results() {
    recording_ = made_.take();
    CallLineFinder finder(recording_.frames);
    return unfused(blocks(finder));
  }

private:
  struct Row {
    std::uint64_t bytes;
    StackId stack;
    MemoryKind kind;
  };
  [[nodiscard]] std::vector<LiveBlock> blocks(CallLineFinder& finder) const {
    std::vector<LiveBlock> found;
    for (const Row& row : rows_)
      found.push_back({EventIndex(found.size()), 0x100000 * (found.size() + 1), row.bytes, row.stack, row.kind,
                       &finder.of(row.stack)});
    return found;
  }

  test::SmallSnapshot made_;
  Recording recording_;
  std::vector<Row> rows_;
};

} // namespace

TEST_CASE("large tensors are those of one function that are more than all else") {
  const Cause cause = Blocks().add(60, kMask).add(30, kMaskToo).add(20, kMask).add(50, kBatch).large(60, kMaskToo);
  CHECK(cause.bytes == 150 * kUnit); // in half the precision as well
  CHECK(cause.blocks == 2);
  CHECK(cause.has_request);
  CHECK_FALSE(cause.is_in_module);
  // The output of a layer, and its copy in other precision.
  const Cause output = Blocks().add(60, kHead).add(20, kBatch).large(120, kMask);
  CHECK(output.bytes == 180 * kUnit);
  CHECK(output.is_in_module);
}

TEST_CASE("tensors are not large where others are as much, or many, or last") {
  CHECK(Blocks().add(60, kMask).add(60, kBatch).large(10, kBatch).bytes == 0);
  CHECK(Blocks().add(60, kMask, MemoryKind::unknown, 5).large(10, kBatch).bytes == 0);
  CHECK(Blocks().add(60, kMask, MemoryKind::parameter).large(10, kBatch).bytes == 0);
  CHECK(Blocks().add(60, kMask, MemoryKind::kv_cache).large(10, kBatch).bytes == 0);
  CHECK(Blocks().add(60, kHead, MemoryKind::activation, 2).large(10, kBatch).bytes == 0); // layers of a pass
  CHECK(Blocks().add(60, kHead).large(60, kHead).bytes == 0);
  CHECK(Blocks().add(5, kBatch).large(60, kMask).bytes == 0); // the request alone is not alive
  CHECK(Blocks().large(60, kMask).bytes == 0);
}

TEST_CASE("an expression is unfused if each call keeps four of its results") {
  Blocks two_calls;
  for (int i = 0; i < 2; ++i)
    two_calls.add(20, kLayer, MemoryKind::activation, 5).add(5, kLinear);
  const Cause cause = two_calls.results();
  CHECK(cause.bytes == 200 * kUnit);
  CHECK(cause.blocks == 10);
  CHECK(cause.calls == 5);
  Blocks three_results;
  for (int i = 0; i < 4; ++i)
    three_results.add(20, kLayer, MemoryKind::activation, 3).add(5, kLinear);
  CHECK(three_results.results().bytes == 0);
  CHECK(Blocks().add(20, kLinear, MemoryKind::activation, 8).results().bytes == 0); // a module's own function
  CHECK(Blocks().add(20, kMask, MemoryKind::activation, 8).results().bytes == 0);   // outside a module
  CHECK(Blocks().add(20, kLayer).add(21, kLayer).add(20, kLayer).add(21, kLayer).results().bytes == 0);
}

} // namespace memviz
