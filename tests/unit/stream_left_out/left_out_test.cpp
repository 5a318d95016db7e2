#include "memviz/read_by.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <string>

// A library without the fast reader: MEMVIZ_FAST_READER is OFF.

using namespace memviz;
using namespace memviz::test;

TEST_CASE("without the fast reader everything is read by the plain one, and check says so") {
  const std::string file = testdata_file("training_step.pickle");
  const ReadBy read_by = check_same(read_bytes(file));
  CHECK(read_by.plain_reason == PlainReason::not_built);
  CHECK_FALSE(read_by.offset);
  CHECK(contains(run({"check", file}).out,
                 "\n  read by       the plain reader: this memviz was built without the fast one\n"));
}
