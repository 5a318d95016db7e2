#include "cli/frame/file_options.hpp"

#include <doctest/doctest.h>

using namespace memviz::cli;

TEST_CASE("a command has threads, as many as are given or as is usual") {
  FileOptions usual;
  settle(usual);
  CHECK(usual.threads >= 1);
  CHECK_FALSE(usual.are_threads_given);
  FileOptions given;
  given.threads = 3;
  settle(given);
  CHECK(given.threads == 3);
  CHECK(given.are_threads_given);
}
