#include "memviz/ranks.hpp"

#include "memviz/line_peaks.hpp"
#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

using namespace memviz;

TEST_CASE("a line of C++ in the part of a rank has no address, which differs from process to process") {
  test::SmallSnapshot made;
  const StackId library = made.stack({"/lib/libtorch_cpu.so:34082790:at::native::sum"});
  const StackId script = made.stack({"/app/train.py:1:main"});
  made.segment(0x1000, 2'000).active(1'500, 1'500, library).active(500, 500, script);
  MemoryState state = replay(std::make_shared<const Recording>(made.take()));
  test::set_kinds(state, {{}, {}});
  const RankPart part = part_of("rank0.pickle", state, LinePeaks());
  std::vector<std::string> lines;
  for (const LineMemory& line : part.held)
    lines.push_back(line.line);
  CHECK(lines == std::vector<std::string>{"at::native::sum", "main train.py:1"});
}
