// Communicators that are split off another one, as seen by a program of one rank.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

template <typename Function> Function* function(const char* name) {
  void* const library = dlopen(MEMVIZ_REHEARSAL_LIBRARY, RTLD_NOW);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

struct UniqueId {
  char bytes[128];
};

struct Place {
  int ranks = 0;
  int rank = 0;
};

Place place_of(void* communicator) {
  Place place;
  function<int(void*, int*)>("ncclCommCount")(communicator, &place.ranks);
  function<int(void*, int*)>("ncclCommUserRank")(communicator, &place.rank);
  return place;
}

// Runs in a separate process, and exits with 0 if everything is right, else with the number of the error.
int split_rank_5_of_8() {
  void* whole = nullptr;
  if (function<int(void**, int, UniqueId, int)>("ncclCommInitRank")(&whole, 8, {}, 5) != 0) return 1;
  auto* const split = function<int(void*, int, int, void**, void*)>("ncclCommSplit");
  auto* const announce = function<void(int)>("memviz_rehearsal_split_ranks");
  void* part = nullptr;
  if (split(whole, 7, 1, &part, nullptr) != 0) return 2;
  if (place_of(part).ranks != 8 || place_of(part).rank != 5) return 3; // all chose this color
  announce(4);
  if (split(whole, 7, 1, &part, nullptr) != 0) return 4;
  if (place_of(part).ranks != 4 || place_of(part).rank != 1) return 5;
  if (split(whole, -1, 1, &part, nullptr) != 0 || part != nullptr) return 6;
  if (split(whole, 7, 4, &part, nullptr) != 4) return 7; // no such rank in a group of 4
  announce(0);
  if (split(whole, 7, 4, &part, nullptr) != 0 || place_of(part).ranks != 8) return 8;
  return 0;
}

} // namespace

TEST_CASE("a split communicator has the announced number of ranks, and the key as its rank") {
  const pid_t child = fork();
  if (child == 0) _exit(split_rank_5_of_8());
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
