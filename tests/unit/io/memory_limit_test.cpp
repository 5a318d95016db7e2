#include "io/memory_limit.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <limits>

using namespace memviz;
using namespace memviz::test;

TEST_CASE("the least limit of a process's control groups counts, in both versions") {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const TemporaryFolder root;
  std::filesystem::create_directories(root / "batch/job");
  std::filesystem::create_directories(root / "memory/docker/x");
  const std::filesystem::path at = root / "";
  CHECK(control_group_bytes(at, "0::/batch/job\n") == kNone);
  write_bytes(root / "batch/job/memory.max", "max\n");
  CHECK(control_group_bytes(at, "0::/batch/job\n") == kNone);
  write_bytes(root / "batch/memory.max", "4096\n");
  CHECK(control_group_bytes(at, "0::/batch/job\n") == 4096);
  CHECK(control_group_bytes(at, "0::/other\n") == kNone);
  write_bytes(root / "memory/docker/x/memory.limit_in_bytes", "1234\n");
  CHECK(control_group_bytes(at, "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n") == 1234);
  write_bytes(root / "memory.max", "100");
  CHECK(control_group_bytes(at, "4:memory:/docker/x\n0::/gone\n") == 100);
  CHECK(control_group_bytes(at, "") == kNone);
  CHECK(control_group_bytes(at, "nonsense\n:\n::\n") == 100);
}

TEST_CASE("no more memory is there than the machine has") {
  CHECK(main_memory_bytes() > 0);
  CHECK(main_memory_bytes() < std::numeric_limits<std::uint64_t>::max() / 2);
}
