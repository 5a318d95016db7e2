#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz::test;

namespace {

const std::string kSource = MEMVIZ_SOURCE_DIR;

void check_documented(const std::string& name, std::vector<std::string> command) {
  const TemporaryFolder folder;
  const std::string drawn = folder / name;
  command.insert(command.end(), {"--quiet", "-o", drawn});
  REQUIRE(run(command).exit_code == 0);
  const std::string documented = kSource + "/docs/" + name;
  if (std::getenv("MEMVIZ_BLESS") != nullptr) write_bytes(documented, read_bytes(drawn));
  const bool is_same = read_bytes(drawn) == read_bytes(documented);
  CHECK_MESSAGE(is_same, name, ": MEMVIZ_BLESS=1 rewrites it");
}

} // namespace

// The pictures of the README are made by this memviz, not by an older one.
TEST_CASE("the pictures in docs/ are what the commands draw today") {
  const std::string testdata = kSource + "/testdata/";
  check_documented("mem.svg", {"flame", testdata + "training_step.pickle"});
  check_documented("segments.svg", {"flame", "--view", "segments", testdata + "cases/split_free_blocks.pickle"});
  check_documented("timeline.svg", {"timeline", testdata + "training_step.pickle"});
  check_documented("state.svg", {"state", "--at", "peak", testdata + "training_step.pickle"});
  check_documented("explain.svg", {"explain", testdata + "cases/split_free_blocks.pickle"});
  check_documented("diff.svg", {"compare", testdata + "before.pickle", testdata + "after.pickle", "--at", "end"});
}
