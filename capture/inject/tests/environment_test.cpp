#include "environment.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <map>
#include <string>

using memviz::capture::EnvironmentOptions;
using memviz::capture::read_environment;
using memviz::capture::snapshot_path;

namespace {

EnvironmentOptions options_from(const std::map<std::string, std::string>& variables) {
  return read_environment([&](const char* name) -> const char* {
    const auto position = variables.find(name);
    return position == variables.end() ? nullptr : position->second.c_str();
  });
}

} // namespace

TEST_CASE("environment: options come from the environment") {
  CHECK(options_from({}).signal == 0);
  CHECK(options_from({}).warnings.empty());
  const EnvironmentOptions options = options_from(
      {{"MEMVIZ_MAX_ENTRIES", "7"}, {"MEMVIZ_SIGNAL", "SIGUSR2"}, {"MEMVIZ_OUT", "x"}, {"MEMVIZ_STACK_DEPTH", "9999"}});
  CHECK(options.max_entries == 7);
  CHECK(options.signal == SIGUSR2);
  CHECK(options.out == "x");
  CHECK(options.stack_depth == memviz::capture::kMaxStackDepth);
  CHECK(options_from({{"MEMVIZ_SIGNAL", "USR1"}}).signal == SIGUSR1);
  CHECK(options_from({{"MEMVIZ_SIGNAL", "10"}}).signal == 10);
}

TEST_CASE("environment: options that make no sense keep their defaults, and say so") {
  const EnvironmentOptions options =
      options_from({{"MEMVIZ_MAX_BYTES", "1G"}, {"MEMVIZ_OOM_DUMPS", "-1"}, {"MEMVIZ_SIGNAL", "SEGV"}});
  CHECK(options.max_bytes == EnvironmentOptions().max_bytes);
  CHECK(options.oom_dumps == EnvironmentOptions().oom_dumps);
  CHECK(options.signal == 0);
  CHECK(options.warnings.size() == 3);
  for (const char* refused : {"9", "11", "0", "999", "", "USR3"}) {
    CHECK(options_from({{"MEMVIZ_SIGNAL", refused}}).signal == 0);
  }
}

TEST_CASE("environment: snapshots are named after process and reason") {
  EnvironmentOptions options;
  options.host = "node7";
  options.out = "/nonexistent/";
  CHECK(snapshot_path(options, 42, "exit", 0) == "/nonexistent/memviz_node7_42_exit.pickle");
  CHECK(snapshot_path(options, 42, "oom", 2) == "/nonexistent/memviz_node7_42_oom_2.pickle");
  options.out = "/tmp";
  CHECK(snapshot_path(options, 1, "exit", 0) == "/tmp/memviz_node7_1_exit.pickle");
  options.rank = "12";
  CHECK(snapshot_path(options, 1, "exit", 0) == "/tmp/memviz_rank12_node7_1_exit.pickle");
  options.out = "/nonexistent/%h.%n.bin";
  CHECK(snapshot_path(options, 7, "exit", 0) == "/nonexistent/node7.12.bin");
  options.rank.reset();
  CHECK(snapshot_path(options, 7, "exit", 0) == "/nonexistent/node7.0.bin");
  options.out = "/nonexistent/%r-%p-%p.bin";
  CHECK(snapshot_path(options, 7, "exit", 0) == "/nonexistent/exit-7-7.bin");
  CHECK(snapshot_path(options, 7, "exit", 1) == "/nonexistent/exit-7-7_1.bin");
}

TEST_CASE("environment: a recording is asked for with 1") {
  CHECK_FALSE(options_from({}).is_on);
  CHECK(options_from({{"MEMVIZ_RECORD", "1"}}).is_on);
  CHECK_FALSE(options_from({{"MEMVIZ_RECORD", "0"}}).is_on);
  CHECK(options_from({{"MEMVIZ_RECORD", "0"}}).warnings.empty());
  CHECK_FALSE(options_from({{"MEMVIZ_RECORD", "yes"}}).is_on);
  CHECK(options_from({{"MEMVIZ_RECORD", "yes"}}).warnings.size() == 1);
}

TEST_CASE("environment: each launcher's rank is known") {
  for (const char* name :
       {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    CHECK(options_from({{name, "12"}}).rank == "12");
    CHECK_FALSE(options_from({{name, "../../x"}}).rank);
    CHECK_FALSE(options_from({{name, ""}}).rank);
  }
  CHECK_FALSE(options_from({}).rank);
  // mpirun within a batch script of SLURM; torchrun within srun.
  CHECK(options_from({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "5"}}).rank == "5");
  CHECK(options_from({{"SLURM_PROCID", "1"}, {"RANK", "9"}}).rank == "9");
  CHECK(options_from({{"RANK", "first"}, {"SLURM_PROCID", "1"}}).rank == "1");
}

TEST_CASE("environment: the host's name is fit for a file's") {
  const std::string host = memviz::capture::host_name();
  CHECK_FALSE(host.empty());
  CHECK(host.find_first_of("./ ") == std::string::npos);
}
