#include "base/number_map.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>

using memviz::NumberMap;

TEST_CASE("NumberMap does what std::map does, over many allocations that reuse addresses") {
  NumberMap fast;
  std::map<std::uint64_t, std::uint64_t> plain;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    // Few addresses, spaced as the allocator spaces them, so that probe chains form and are cut.
    const std::uint64_t address = 0x7f0000000000 + 512 * (random() % 3000);
    if (random() % 2 == 0) {
      const auto known = plain.find(address);
      const auto previous = fast.insert(address, random() % 100);
      CHECK(previous.has_value() == (known != plain.end()));
      if (previous) CHECK(*previous == known->second);
      plain[address] = *fast.insert(address, 1);
      fast.insert(address, plain[address]);
    } else {
      const auto known = plain.find(address);
      const auto removed = fast.remove(address);
      REQUIRE(removed.has_value() == (known != plain.end()));
      if (removed) {
        REQUIRE(*removed == known->second);
        plain.erase(known);
      }
    }
    REQUIRE(fast.size() == plain.size());
  }
  for (const auto& [address, value] : plain)
    CHECK(fast.contains(address));
}

TEST_CASE("an empty NumberMap has nothing") {
  NumberMap empty;
  CHECK_FALSE(empty.contains(0));
  CHECK_FALSE(empty.remove(0).has_value());
}
