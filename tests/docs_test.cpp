#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

using namespace memviz::test;

// The pictures of the README are made by this memviz, not by an older one.
TEST_CASE("the pictures in docs/ are what the commands draw today") {
  const std::string source = MEMVIZ_SOURCE_DIR;
  const TemporaryFolder folder;
  const std::string flame = folder / "mem.svg";
  const std::string diff = folder / "diff.svg";
  REQUIRE(run({"flame", "--quiet", source + "/testdata/training_step.pickle", "-o", flame}).exit_code == 0);
  REQUIRE(run({"compare", "--quiet", source + "/testdata/before.pickle", source + "/testdata/after.pickle", "-o", diff})
              .exit_code == 0);
  if (std::getenv("MEMVIZ_BLESS") != nullptr) {
    write_bytes(source + "/docs/mem.svg", read_bytes(flame));
    write_bytes(source + "/docs/diff.svg", read_bytes(diff));
  }
  const bool is_same_flame = read_bytes(flame) == read_bytes(source + "/docs/mem.svg");
  CHECK_MESSAGE(is_same_flame, "MEMVIZ_BLESS=1 rewrites it");
  const bool is_same_diff = read_bytes(diff) == read_bytes(source + "/docs/diff.svg");
  CHECK_MESSAGE(is_same_diff, "MEMVIZ_BLESS=1 rewrites it");
}
