#include "support.hpp"

#include <cstring>
#include <random>

using namespace memviz::rehearsal;

TEST_CASE("device memory is counted in the driver's pages") {
  Memory memory(small_machine());
  const DeviceBook& book = memory.devices()[0];
  CHECK(book.free_bytes() == 960 * kMiB);

  SUBCASE("large allocations take whole pages of 2 MiB, and give them back") {
    void* const pointer = take(memory, 3 * kMiB);
    CHECK(book.used_bytes == 4 * kMiB);
    CHECK(memory.free(pointer) == Error::success);
    CHECK(book.used_bytes == 0);
    take(memory, 2 * kMiB);
    CHECK(book.peak_used_bytes == 4 * kMiB);
  }
  SUBCASE("a recent peak is that since it was last asked for, with the context") {
    void* const pointer = take(memory, 100 * kMiB);
    CHECK(memory.take_recent_peak(0) == book.context_bytes + 100 * kMiB);
    CHECK(memory.free(pointer) == Error::success);
    CHECK(memory.take_recent_peak(0) == book.context_bytes + 100 * kMiB);
    CHECK(memory.take_recent_peak(0) == book.context_bytes);
    CHECK(book.peak_used_bytes == 100 * kMiB);
  }
  SUBCASE("small allocations share a page until it is full") {
    void* const first = take(memory, 1);
    void* const second = take(memory, 512 * 1024);
    CHECK(book.used_bytes == 2 * kMiB);
    CHECK(reinterpret_cast<std::uint64_t>(second) - reinterpret_cast<std::uint64_t>(first) == 512);
    CHECK(memory.free(first) == Error::success);
    CHECK(book.used_bytes == 2 * kMiB);
    CHECK(memory.free(second) == Error::success);
    CHECK(book.used_bytes == 0);
  }
  SUBCASE("nothing is taken beyond the device's total less the context") {
    take(memory, 958 * kMiB);
    void* pointer = &memory;
    CHECK(memory.allocate(0, 4 * kMiB, &pointer) == Error::out_of_memory);
    CHECK(pointer == nullptr);
    CHECK(book.used_bytes == 958 * kMiB);
    take(memory, 2 * kMiB);
    CHECK(book.free_bytes() == 0);
  }
  SUBCASE("sizes near 2^64 fail and take nothing") {
    void* pointer = nullptr;
    CHECK(memory.allocate(0, ~0ULL, &pointer) == Error::out_of_memory);
    CHECK(memory.allocate(0, ~0ULL - 4 * kMiB, &pointer) == Error::out_of_memory);
    CHECK(book.used_bytes == 0);
  }
  SUBCASE("of zero bytes there is a null pointer") {
    CHECK(take(memory, 0) == nullptr);
    CHECK(book.used_bytes == 0);
  }
}

TEST_CASE("what libraries take outside of the program's allocations is taken once, at the first launch") {
  Settings settings = small_machine();
  settings.outside_bytes = 100 * kMiB;
  Memory memory(settings);
  const DeviceBook& book = memory.devices()[0];
  CHECK(book.free_bytes() == 960 * kMiB);
  void* const most = take(memory, 900 * kMiB);
  CHECK(memory.charge_outside(0) == Error::out_of_memory);
  CHECK(book.outside_bytes == 0);
  CHECK(book.refused_bytes == 100 * kMiB);
  CHECK(memory.free(most) == Error::success);
  for (int launch = 0; launch < 2; ++launch)
    CHECK(memory.charge_outside(0) == Error::success);
  CHECK(book.outside_bytes == 100 * kMiB);
  CHECK(book.free_bytes() == 860 * kMiB);
}

TEST_CASE("a model of kernels that is set later is taken at the next launch, and its growth at the one after") {
  Memory memory(small_machine());
  const DeviceBook& book = memory.devices()[0];
  CHECK(memory.charge_outside(0) == Error::success);
  CHECK(book.outside_bytes == 0);
  memory.set_outside(100 * kMiB);
  CHECK(memory.charge_outside(0) == Error::success);
  memory.set_outside(50 * kMiB);
  CHECK(memory.charge_outside(0) == Error::success);
  CHECK(book.outside_bytes == 100 * kMiB);
  CHECK(book.used_bytes == 100 * kMiB);
  memory.set_outside(250 * kMiB);
  CHECK(memory.charge_outside(0) == Error::success);
  CHECK(book.outside_bytes == 250 * kMiB);
  CHECK(book.used_bytes == 250 * kMiB);
}

TEST_CASE("graphs are counted, and take what the model says until they are destroyed") {
  Memory memory(small_machine());
  const DeviceBook& book = memory.devices()[0];
  CHECK(memory.charge_graph(0, memory.use_of_graph(10)) == Error::success);
  CHECK(book.used_bytes == 0);
  memory.release_graph(0, memory.use_of_graph(10));
  memory.set_graph_model({1000, 10});
  const GraphUse use = memory.use_of_graph(30);
  CHECK(memory.charge_graph(0, use) == Error::success);
  CHECK(memory.charge_graph(0, use) == Error::success);
  CHECK(book.used_bytes == 2600);
  memory.release_graph(0, use);
  CHECK(book.used_bytes == 1300);
  memory.release_graph(0, use);
  CHECK(book.used_bytes == 0);
  CHECK(book.graphs.bytes == 0);
  CHECK(book.most_graphs.graphs == 2);
  CHECK(book.most_graphs.nodes == 60);
  CHECK(book.most_graphs.bytes == 2600);
  SUBCASE("one for which there is too little memory is not counted") {
    memory.set_graph_model({0, book.total_bytes});
    CHECK(memory.charge_graph(0, memory.use_of_graph(1)) == Error::out_of_memory);
    CHECK(book.graphs.graphs == 0);
  }
}

TEST_CASE("what cudaFree refuses") {
  Memory memory(small_machine());
  auto* const pointer = static_cast<char*>(take(memory, 4 * kMiB));
  CHECK(memory.free(pointer + 512) == Error::invalid_value);
  CHECK(memory.free(&memory) == Error::invalid_value);
  CHECK(memory.free(nullptr) == Error::success);
  CHECK(memory.free(pointer) == Error::success);
  CHECK(memory.free(pointer) == Error::invalid_value);
  void* pinned = nullptr;
  REQUIRE(memory.allocate_host(4096, 0, &pinned) == Error::success);
  CHECK(memory.free(pinned) == Error::invalid_value);
  CHECK(memory.free_host(pinned) == Error::success);
  CHECK(memory.free_host(pinned) == Error::invalid_value);
}

TEST_CASE("cudaFree forgets the writes to the memory that it frees") {
  Memory memory(small_machine());
  void* const pointer = take(memory, 4 * kMiB);
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  for (const std::uint64_t offset : {std::uint64_t{0}, 4 * kMiB - 1})
    memory.writes().fill(address + offset, 7, 1);
  REQUIRE(memory.free(pointer) == Error::success);
  REQUIRE(take(memory, 4 * kMiB) == pointer);
  for (const std::uint64_t offset : {std::uint64_t{0}, 4 * kMiB - 1}) {
    unsigned char byte = 1;
    memory.writes().read(address + offset, &byte, 1);
    CHECK(byte == 0);
  }
}

TEST_CASE("what a pointer points to") {
  Memory memory(small_machine(2));
  auto* const device = static_cast<char*>(take(memory, 4 * kMiB, 1));
  REQUIRE(memory.find(device + 4 * kMiB - 1));
  CHECK(memory.find(device + 4 * kMiB - 1)->range.device == 1);
  CHECK(memory.find(device + 4 * kMiB) == nullptr);
  CHECK(memory.is_device_memory(device));
  CHECK(memory.find(&memory) == nullptr);

  void* managed = nullptr;
  REQUIRE(memory.allocate_managed(100, &managed) == Error::success);
  std::memset(managed, 7, 100); // real memory
  CHECK(memory.find(managed)->range.kind == RangeKind::managed);
  CHECK(memory.devices()[0].used_bytes == 0);
  CHECK(memory.free(managed) == Error::success);

  char host[8192];
  CHECK(memory.register_host(host, sizeof host, 0) == Error::success);
  CHECK(memory.register_host(host, sizeof host, 0) == Error::host_memory_already_registered);
  CHECK(memory.find(host + 100)->range.kind == RangeKind::registered);
  CHECK(memory.unregister_host(host) == Error::success);
  CHECK(memory.unregister_host(host) == Error::host_memory_not_registered);
  CHECK(memory.register_host(device, 100, 0) == Error::invalid_value);
}

TEST_CASE("the books agree with a simple sum over random allocations, and addresses never overlap") {
  std::mt19937 random(7);
  Memory memory(small_machine());
  std::map<char*, std::uint64_t> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 40 && random() % 2 == 0) {
      const std::uint64_t bytes = random() % 3 ? 1 + random() % 5000 : kMiB + random() % (30 * kMiB);
      void* pointer = nullptr;
      if (memory.allocate(0, bytes, &pointer) != Error::success) continue;
      const auto next = live.upper_bound(static_cast<char*>(pointer));
      if (next != live.end()) REQUIRE(static_cast<char*>(pointer) + bytes <= next->first);
      if (next != live.begin()) REQUIRE(std::prev(next)->first + std::prev(next)->second <= pointer);
      live[static_cast<char*>(pointer)] = bytes;
    } else if (!live.empty()) {
      const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      REQUIRE(memory.free(victim->first) == Error::success);
      live.erase(victim);
    }
    std::uint64_t large_bytes = 0;
    for (const auto& [pointer, bytes] : live)
      if (bytes >= kMiB) large_bytes += round_up(bytes, kPageBytes);
    const std::uint64_t used_bytes = memory.devices()[0].used_bytes;
    REQUIRE(used_bytes >= large_bytes);
    REQUIRE(used_bytes <= large_bytes + 2 * kPageBytes); // the small ones, at most 40 of 5,000 bytes
  }
}
