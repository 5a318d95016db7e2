// Processes that share a device: each is a child, because a process never waits for its own locks.
#include "loaded_library.hpp"
#include "support.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>

using namespace memviz::rehearsal;

namespace {

Settings shared_machine() {
  Settings settings = small_machine(2);
  settings.shared_file = std::filesystem::absolute("rehearsal_shared").string();
  return settings;
}

/// A process that has taken memory of the first device, until it is ended.
class Neighbour {
public:
  explicit Neighbour(std::uint64_t bytes) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    child_ = fork();
    if (child_ == 0) {
      Memory memory(shared_machine());
      void* pointer = nullptr;
      const auto error = static_cast<char>(memory.allocate(0, bytes, &pointer));
      if (write(ends[1], &error, 1) == 1) pause();
      _exit(1);
    }
    char error = 1;
    REQUIRE(read(ends[0], &error, 1) == 1);
    CHECK(error == 0);
    close(ends[0]);
    close(ends[1]);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() { end(); }

  void end() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

private:
  pid_t child_ = 0;
};

struct WithoutFile {
  ~WithoutFile() { std::remove(shared_machine().shared_file.c_str()); }
};

} // namespace

TEST_CASE("a process finds taken what another has, with its context, until that one ends") {
  const WithoutFile after;
  Neighbour other(600 * kMiB);
  Memory memory(shared_machine());
  CHECK(memory.current_book(0).free_bytes() == (1024 - 64 - 600 - 64) * kMiB);
  CHECK(memory.current_book(1).free_bytes() == (1024 - 64) * kMiB);
  void* pointer = nullptr;
  CHECK(memory.allocate(0, 400 * kMiB, &pointer) == Error::out_of_memory);
  CHECK(memory.devices()[0].most_other_bytes == 664 * kMiB);
  take(memory, 200 * kMiB);
  CHECK(memory.devices()[0].peak_all_bytes == (664 + 264) * kMiB);
  other.end();
  take(memory, 400 * kMiB);
  CHECK(memory.devices()[0].peak_all_bytes == (664 + 264) * kMiB);
  CHECK(memory.other_bytes(0) == 0);
}

TEST_CASE("the sum of all that are there at once is the peak, whoever reaches it") {
  const WithoutFile after;
  Memory memory(shared_machine());
  take(memory, 100 * kMiB);
  Neighbour other(200 * kMiB);
  Neighbour third(300 * kMiB);
  const Outcome last = in_child([] {
    Memory own(shared_machine());
    take(own, 2 * kMiB);
    return own.devices()[0].peak_all_bytes == (164 + 264 + 364 + 66) * kMiB ? 0 : 1;
  });
  CHECK(last.status == 0);
}

TEST_CASE("a device that a context alone fills refuses everything") {
  const WithoutFile after;
  const Neighbour other(900 * kMiB);
  Memory memory(shared_machine());
  void* pointer = nullptr;
  CHECK(memory.allocate(0, 1, &pointer) == Error::out_of_memory);
  CHECK(memory.current_book(0).free_bytes() == 0);
  CHECK(memory.devices()[0].peak_all_bytes == 1024 * kMiB);
}

TEST_CASE("programs outside of the rehearsal take a part of each device") {
  Settings settings = small_machine(3);
  settings.other_bytes = {0, 500 * kMiB};
  Memory memory(settings);
  CHECK(memory.current_book(0).free_bytes() == 960 * kMiB);
  CHECK(memory.current_book(1).free_bytes() == 460 * kMiB);
  CHECK(memory.current_book(2).free_bytes() == 960 * kMiB);
}

TEST_CASE("a file that cannot be made leaves a process alone") {
  Settings settings = small_machine();
  settings.shared_file = "/no/such/folder/file";
  Memory memory(settings);
  take(memory, 900 * kMiB);
}
