#include "analysis/causes/large_tensors.hpp"

#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

constexpr std::uint64_t kUnitBytes = 4096;
using LineFrames = std::vector<std::string_view>;

const LineFrames kMaskLine{"/app/train.py:30:main", "/app/train.py:7:mask"};
const LineFrames kMaskLineToo{"/app/train.py:30:main", "/app/train.py:8:mask"};
const LineFrames kHeadOutput{"/app/train.py:30:main", "/app/train.py:6:mask",
                             "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:9:_call_impl",
                             "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:134:forward"};
const LineFrames kBatchLine{"/app/train.py:30:main", "/app/data.py:5:batch"};
const LineFrames kGeluLine{"/app/train.py:31:main", "/torch/nn/modules/module.py:9:_call_impl", "/app/model.py:2:gelu"};
const LineFrames kLinearWithin{"/app/train.py:31:main", "/torch/nn/modules/module.py:9:_call_impl",
                               "/app/model.py:2:gelu",
                               "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:134:forward"};

/// The blocks of a program, in units.
class BlocksInUse {
public:
  BlocksInUse& add(std::uint64_t units, const LineFrames& frames, MemoryKind kind = MemoryKind::unknown,
                   int times = 1) {
    for (int i = 0; i < times; ++i)
      rows_.push_back({units * kUnitBytes, made_.stack(frames), kind});
    return *this;
  }
  [[nodiscard]] Cause large(std::uint64_t request_units, const LineFrames& frames) {
    const StackId stack = made_.stack(frames);
    recording_ = made_.take();
    CallLineFinder finder(recording_.frames);
    Request request;
    request.bytes = request_units * kUnitBytes;
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
  const Cause cause = BlocksInUse()
                          .add(60, kMaskLine)
                          .add(30, kMaskLineToo)
                          .add(20, kMaskLine)
                          .add(50, kBatchLine)
                          .large(60, kMaskLineToo);
  CHECK(cause.bytes == 150 * kUnitBytes); // in half the precision as well
  CHECK(cause.blocks == 2);
  CHECK(cause.has_request);
  CHECK_FALSE(cause.is_in_module);
  // The output of a layer, and its copy in other precision.
  const Cause output = BlocksInUse().add(60, kHeadOutput).add(20, kBatchLine).large(120, kMaskLine);
  CHECK(output.bytes == 180 * kUnitBytes);
  CHECK(output.is_in_module);
}

TEST_CASE("tensors are not large where others are as much, or many, or last") {
  CHECK(BlocksInUse().add(60, kMaskLine).add(60, kBatchLine).large(10, kBatchLine).bytes == 0);
  CHECK(BlocksInUse().add(60, kMaskLine, MemoryKind::unknown, 5).large(10, kBatchLine).bytes == 0);
  CHECK(BlocksInUse().add(60, kMaskLine, MemoryKind::parameter).large(10, kBatchLine).bytes == 0);
  CHECK(BlocksInUse().add(60, kMaskLine, MemoryKind::kv_cache).large(10, kBatchLine).bytes == 0);
  CHECK(BlocksInUse().add(60, kHeadOutput, MemoryKind::activation, 2).large(10, kBatchLine).bytes ==
        0); // layers of a pass
  CHECK(BlocksInUse().add(60, kHeadOutput).large(60, kHeadOutput).bytes == 0);
  CHECK(BlocksInUse().add(5, kBatchLine).large(60, kMaskLine).bytes == 0); // the request alone is not alive
  CHECK(BlocksInUse().large(60, kMaskLine).bytes == 0);
}

TEST_CASE("an expression is unfused if each call keeps four of its results") {
  BlocksInUse two_calls;
  for (int i = 0; i < 2; ++i)
    two_calls.add(20, kGeluLine, MemoryKind::activation, 5).add(5, kLinearWithin);
  const Cause cause = two_calls.results();
  CHECK(cause.bytes == 200 * kUnitBytes);
  CHECK(cause.blocks == 10);
  CHECK(cause.calls == 5);
  BlocksInUse three_results;
  for (int i = 0; i < 4; ++i)
    three_results.add(20, kGeluLine, MemoryKind::activation, 3).add(5, kLinearWithin);
  CHECK(three_results.results().bytes == 0);
  CHECK(BlocksInUse().add(20, kLinearWithin, MemoryKind::activation, 8).results().bytes ==
        0);                                                                                // a module's own function
  CHECK(BlocksInUse().add(20, kMaskLine, MemoryKind::activation, 8).results().bytes == 0); // outside a module
  CHECK(BlocksInUse().add(20, kGeluLine).add(21, kGeluLine).add(20, kGeluLine).add(21, kGeluLine).results().bytes == 0);
}

} // namespace memviz
