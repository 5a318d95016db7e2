#include "io/memory_limit.hpp"
#include "io/program.hpp"
#include "support/files.hpp"
#include "support/memory_limit.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <string>

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

TEST_CASE("the usual limit follows from the sizes of the inputs") {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kMachine = 4096 * kMebi;
  const TemporaryFolder folder;
  const auto file_of = [&](const std::string& name, const std::string& head, std::uint64_t bytes) {
    write_bytes(folder / name, head);
    std::filesystem::resize_file(folder / name, bytes);
    return folder / name;
  };
  const std::string plain = file_of("plain", "\x80\x04", 5 * kMebi);
  const std::string small = file_of("small", "\x80\x04", 1000);
  const std::string gzip = file_of("gzip", "\x1f\x8b\x08", kMebi / 2);
  const std::string zip = file_of("zip", "PK\x03\x04", kMebi);
  const std::string large = file_of("large", "\x80\x04", 100 * kMebi);
  CHECK(usual_memory_limit({}, kMachine) == 256 * kMebi);
  CHECK(usual_memory_limit({small}, kMachine) == 256 * kMebi);
  CHECK(usual_memory_limit({plain}, kMachine) == (64 + 400) * kMebi);
  CHECK(usual_memory_limit({gzip}, kMachine) == (64 + 400) * kMebi);
  CHECK(usual_memory_limit({zip}, kMachine) == (64 + 800) * kMebi);
  CHECK(usual_memory_limit({plain, gzip}, kMachine) == (64 + 800) * kMebi);
  CHECK(usual_memory_limit({large}, kMachine) == kMachine / 4);
  CHECK(usual_memory_limit({"/dev/zero"}, kMachine) == kMachine / 4);
  CHECK(usual_memory_limit({folder / "missing"}, kMachine) == kMachine / 4);
  CHECK(usual_memory_limit({large}, 512 * kMebi) == 256 * kMebi);
  std::filesystem::remove(large);
  CHECK(usual_memory_limit({folder / ""}, 2 * kMachine) == (64 + 1600) * kMebi + 80 * 1000);
}

TEST_CASE("a limit ends with its object, and a program does not inherit it") {
  if (!kCanLimit) return;
  const std::vector<std::string> ask{"sh", "-c", "ulimit -d"};
  const std::string before = output_of(ask, "");
  rlimit limit{};
  {
    const MemoryLimit one(std::uint64_t{1} << 31U);
    REQUIRE(one.is_set());
    CHECK(output_of(ask, "") == before);
    const MemoryLimit larger(std::uint64_t{1} << 32U);
    ::getrlimit(RLIMIT_DATA, &limit);
    CHECK(limit.rlim_cur == std::uint64_t{1} << 31U);
  }
  ::getrlimit(RLIMIT_DATA, &limit);
  CHECK(limit.rlim_cur == limit.rlim_max);
}
