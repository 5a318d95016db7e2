#include "support.hpp"

#include <unistd.h>

using namespace memviz::rehearsal;

namespace {

AllocationProperties on_device(int device) {
  return {1, 0, {LocationType::device, device}, nullptr, {}};
}

constexpr AccessDescription kReadWrite{{LocationType::device, 0}, 3};

} // namespace

TEST_CASE("memory is reserved, created, mapped and made accessible in steps") {
  Memory memory(small_machine());
  VirtualMemory virtual_memory(memory);
  const DeviceBook& book = memory.devices()[0];
  std::uint64_t address = 0;
  std::uint64_t handle = 0;
  REQUIRE(virtual_memory.reserve(4096 * kMiB, 0, 0, &address) == Error::success); // more than the device has
  CHECK(book.used_bytes == 0);
  REQUIRE(virtual_memory.create(20 * kMiB, on_device(0), &handle) == Error::success);
  CHECK(book.used_bytes == 20 * kMiB);
  REQUIRE(virtual_memory.map(address, 20 * kMiB, 0, handle) == Error::success);
  CHECK(virtual_memory.set_access(address, 20 * kMiB, &kReadWrite, 1) == Error::success);
  unsigned long long flags = 0;
  CHECK(virtual_memory.get_access(address + kMiB, {LocationType::device, 0}, &flags) == Error::success);
  CHECK(flags == 3);
  CHECK(memory.find(reinterpret_cast<void*>(address + 1))->range.kind == RangeKind::mapped);

  SUBCASE("released memory stays until it is unmapped") {
    CHECK(virtual_memory.release(handle) == Error::success);
    CHECK(book.used_bytes == 20 * kMiB);
    CHECK(virtual_memory.release(handle) == Error::invalid_value);
    CHECK(virtual_memory.unmap(address, 20 * kMiB) == Error::success);
    CHECK(book.used_bytes == 0);
    CHECK(memory.find(reinterpret_cast<void*>(address)) == nullptr);
  }
  SUBCASE("unmapped memory stays until it is released") {
    CHECK(virtual_memory.unmap(address, 20 * kMiB) == Error::success);
    CHECK(book.used_bytes == 20 * kMiB);
    CHECK(virtual_memory.map(address + 20 * kMiB, 20 * kMiB, 0, handle) == Error::success);
    CHECK(virtual_memory.unmap(address + 20 * kMiB, 20 * kMiB) == Error::success);
    CHECK(virtual_memory.release(handle) == Error::success);
    CHECK(book.used_bytes == 0);
  }
  SUBCASE("misuse is refused") {
    CHECK(virtual_memory.map(address, 20 * kMiB, 0, handle) == Error::invalid_value);             // mapped already
    CHECK(virtual_memory.map(address + 10 * kMiB, 20 * kMiB, 0, handle) == Error::invalid_value); // overlaps
    CHECK(virtual_memory.map(address + 40 * kMiB, 20 * kMiB, 2 * kMiB, handle) == Error::invalid_value);
    CHECK(virtual_memory.map(address + 4090 * kMiB, 20 * kMiB, 0, handle) == Error::invalid_value); // beyond the end
    CHECK(virtual_memory.map(address + 40 * kMiB + 1, 20 * kMiB, 0, handle) == Error::invalid_value);
    CHECK(virtual_memory.map(address + 40 * kMiB, 20 * kMiB, 0, handle + 1) == Error::invalid_value);
    CHECK(virtual_memory.unmap(address, 10 * kMiB) == Error::invalid_value); // half a mapping
    CHECK(virtual_memory.set_access(address, 40 * kMiB, &kReadWrite, 1) == Error::invalid_value);
    CHECK(virtual_memory.free_reservation(address, 4096 * kMiB) == Error::invalid_value); // mapped inside
    CHECK(virtual_memory.create(kMiB, on_device(0), &handle) == Error::invalid_value);    // not whole pages
    CHECK(virtual_memory.create(2 * kMiB, on_device(1), &handle) == Error::invalid_device);
    CHECK(virtual_memory.create(960 * kMiB, on_device(0), &handle) == Error::out_of_memory);
    CHECK(virtual_memory.reserve(kMiB, 0, 0, &address) == Error::invalid_value);
  }
  SUBCASE("a mapping fits exactly between two others") {
    std::uint64_t after = 0;
    std::uint64_t between = 0;
    REQUIRE(virtual_memory.create(20 * kMiB, on_device(0), &after) == Error::success);
    REQUIRE(virtual_memory.create(20 * kMiB, on_device(0), &between) == Error::success);
    CHECK(virtual_memory.map(address + 40 * kMiB, 20 * kMiB, 0, after) == Error::success);
    CHECK(virtual_memory.map(address + 20 * kMiB, 20 * kMiB, 0, between) == Error::success);
    CHECK(virtual_memory.unmap(address, 60 * kMiB) == Error::success);
  }
  SUBCASE("unmapping forgets the writes to the memory") {
    memory.writes().fill(address, 7, 1);
    REQUIRE(virtual_memory.unmap(address, 20 * kMiB) == Error::success);
    unsigned char byte = 1;
    memory.writes().read(address, &byte, 1);
    CHECK(byte == 0);
  }
  SUBCASE("a retained handle is its own reference") {
    std::uint64_t again = 0;
    CHECK(virtual_memory.retain(address + 5 * kMiB, &again) == Error::success);
    CHECK(again == handle);
    CHECK(virtual_memory.release(handle) == Error::success);
    CHECK(virtual_memory.unmap(address, 20 * kMiB) == Error::success);
    CHECK(book.used_bytes == 20 * kMiB);
    CHECK(virtual_memory.release(again) == Error::success);
    CHECK(book.used_bytes == 0);
  }
}

TEST_CASE("a reservation is given back as it was made") {
  Memory memory(small_machine());
  VirtualMemory virtual_memory(memory);
  std::uint64_t address = 0;
  REQUIRE(virtual_memory.reserve(4 * kMiB, 64 * kMiB, 0, &address) == Error::success);
  CHECK(address % (64 * kMiB) == 0);
  CHECK(virtual_memory.free_reservation(address, 2 * kMiB) == Error::invalid_value);
  CHECK(virtual_memory.free_reservation(address, 4 * kMiB) == Error::success);
  CHECK(virtual_memory.free_reservation(address, 4 * kMiB) == Error::invalid_value);
}

TEST_CASE("memory of another process and multicast objects take nothing of a device") {
  Memory memory(small_machine());
  VirtualMemory virtual_memory(memory);
  const DeviceBook& book = memory.devices()[0];
  constexpr int kFile = 1;
  constexpr int kFabric = 8;
  AllocationProperties properties = on_device(0);
  properties.requested_handle_types = kFile;
  std::uint64_t own = 0, imported = 0, multicast = 0, address = 0;
  SharedMemory shared;
  REQUIRE(virtual_memory.create(20 * kMiB, properties, &own) == Error::success);
  CHECK(virtual_memory.share(own, kFabric, &shared) == Error::invalid_value); // not created for it
  REQUIRE(virtual_memory.share(own, kFile, &shared) == Error::success);
  CHECK(shared.bytes == 20 * kMiB);

  REQUIRE(virtual_memory.import(shared, 0, &imported) == Error::success);
  REQUIRE(virtual_memory.reserve(20 * kMiB, 0, 0, &address) == Error::success);
  REQUIRE(virtual_memory.map(address, 20 * kMiB, 0, imported) == Error::success);
  CHECK(virtual_memory.release(imported) == Error::success);
  CHECK(book.used_bytes == 20 * kMiB);
  CHECK(virtual_memory.unmap(address, 20 * kMiB) == Error::success);
  CHECK(book.used_bytes == 20 * kMiB);
  CHECK(virtual_memory.share(imported, kFile, &shared) == Error::invalid_value); // gone

  REQUIRE(virtual_memory.create_multicast(40 * kMiB, kFile, 0, &multicast) == Error::success);
  REQUIRE(virtual_memory.share(multicast, kFile, &shared) == Error::success);
  CHECK(shared.is_multicast);
  CHECK(virtual_memory.is_multicast(multicast));
  CHECK_FALSE(virtual_memory.is_multicast(own));
  CHECK(virtual_memory.check_binding(multicast, 20 * kMiB, 20 * kMiB) == Error::success);
  CHECK(virtual_memory.check_binding(multicast, 20 * kMiB, 22 * kMiB) == Error::invalid_value);
  CHECK(virtual_memory.check_binding(own, 0, 20 * kMiB) == Error::invalid_value);
  CHECK(virtual_memory.check_part(own, 0, 22 * kMiB) == Error::invalid_value);
  CHECK(book.used_bytes == 20 * kMiB);
  CHECK(virtual_memory.release(own) == Error::success);
  CHECK(book.used_bytes == 0);
}

TEST_CASE("handles pass through files and bytes, and other bytes are none") {
  const SharedMemory memory{6 * kMiB, true};
  const int descriptor = write_shared_file(memory);
  REQUIRE(descriptor >= 0);
  for (int time = 0; time < 2; ++time) { // a descriptor that was sent shares its position
    const auto received = read_shared_file(descriptor);
    REQUIRE(received);
    CHECK(received->bytes == 6 * kMiB);
    CHECK(received->is_multicast);
  }
  close(descriptor);
  CHECK_FALSE(read_shared_file(descriptor));
  CHECK_FALSE(read_shared(SharedBytes{}));
}
