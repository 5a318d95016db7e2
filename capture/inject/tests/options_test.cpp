#include "options.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <map>
#include <string>

using memviz::inject::Options;
using memviz::inject::read_options;
using memviz::inject::snapshot_path;

namespace {

Options options_from(const std::map<std::string, std::string>& variables) {
  return read_options([&](const char* name) -> const char* {
    const auto position = variables.find(name);
    return position == variables.end() ? nullptr : position->second.c_str();
  });
}

} // namespace

TEST_CASE("inject options come from the environment") {
  CHECK(options_from({}).signal == 0);
  CHECK(options_from({}).warnings.empty());
  const Options options = options_from(
      {{"MEMVIZ_MAX_ENTRIES", "7"}, {"MEMVIZ_SIGNAL", "SIGUSR2"}, {"MEMVIZ_OUT", "x"}, {"MEMVIZ_STACK_DEPTH", "9999"}});
  CHECK(options.max_entries == 7);
  CHECK(options.signal == SIGUSR2);
  CHECK(options.out == "x");
  CHECK(options.stack_depth == memviz::inject::kMaxStackDepth);
  CHECK(options_from({{"MEMVIZ_SIGNAL", "USR1"}}).signal == SIGUSR1);
  CHECK(options_from({{"MEMVIZ_SIGNAL", "10"}}).signal == 10);
}

TEST_CASE("inject options that make no sense keep their defaults, and say so") {
  const Options options =
      options_from({{"MEMVIZ_MAX_BYTES", "1G"}, {"MEMVIZ_OOM_DUMPS", "-1"}, {"MEMVIZ_SIGNAL", "SEGV"}});
  CHECK(options.max_bytes == Options().max_bytes);
  CHECK(options.oom_dumps == Options().oom_dumps);
  CHECK(options.signal == 0);
  CHECK(options.warnings.size() == 3);
  for (const char* refused : {"9", "11", "0", "999", "", "USR3"}) {
    CHECK(options_from({{"MEMVIZ_SIGNAL", refused}}).signal == 0);
  }
}

TEST_CASE("inject snapshots are named after process and reason") {
  Options options;
  options.out = "/nonexistent/";
  CHECK(snapshot_path(options, 42, "exit", 0) == "/nonexistent/memviz_42_exit.pickle");
  CHECK(snapshot_path(options, 42, "oom", 2) == "/nonexistent/memviz_42_oom_2.pickle");
  options.out = "/tmp";
  CHECK(snapshot_path(options, 1, "exit", 0) == "/tmp/memviz_1_exit.pickle");
  options.out = "/nonexistent/%r-%p-%p.bin";
  CHECK(snapshot_path(options, 7, "exit", 0) == "/nonexistent/exit-7-7.bin");
  CHECK(snapshot_path(options, 7, "exit", 1) == "/nonexistent/exit-7-7_1.bin");
}
