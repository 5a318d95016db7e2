#include "memviz/memory_ledger.hpp"

#include "support/small_snapshot.hpp"

#include <cstdint>
#include <doctest/doctest.h>

using namespace memviz;

TEST_CASE("free bytes that no device has are unknown: the driver's call failed") {
  const auto free_bytes_of = [](std::uint64_t said) {
    return request_of(test::event_of(Action::oom, said, 4096), {}).device_free_bytes;
  };
  CHECK(free_bytes_of(8192) == std::uint64_t{8192});
  CHECK_FALSE(free_bytes_of(0x7f00'0000'0000'0000).has_value());
}
