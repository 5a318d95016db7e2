#include "address_space.hpp"
#include "support.hpp"

using namespace memviz::rehearsal;

namespace {

constexpr std::uint64_t kPage = 2 * kMiB;

std::uint64_t take(AddressSpace& addresses, std::uint64_t bytes) {
  const auto address = addresses.take(bytes, kPage);
  REQUIRE(address);
  return *address;
}

} // namespace

// The figures are those of a public recording on an A100: 100 MiB, 100 MiB, 26 MiB, 26 MiB, 26 MiB.
TEST_CASE("addresses are given in the driver's order") {
  AddressSpace addresses;
  const std::uint64_t first = take(addresses, 100 * kMiB);

  SUBCASE("regions of whole 32 MiB go downwards, and their rests are filled from the lowest on") {
    const std::uint64_t second = take(addresses, 100 * kMiB);
    CHECK(second == first - 128 * kMiB);
    CHECK(take(addresses, 26 * kMiB) == second + 100 * kMiB);
    CHECK(take(addresses, 26 * kMiB) == first + 100 * kMiB);
    CHECK(take(addresses, 26 * kMiB) == second - 32 * kMiB);
  }
  SUBCASE("no allocation spans two regions") {
    CHECK(take(addresses, 20 * kMiB) == first + 100 * kMiB);
    CHECK(take(addresses, 20 * kMiB) == first - 32 * kMiB);
    CHECK(take(addresses, 20 * kMiB) == first - 64 * kMiB);
    CHECK(take(addresses, 14 * kMiB) == first - 96 * kMiB);
    CHECK(take(addresses, 12 * kMiB) == first - 82 * kMiB);
    CHECK(take(addresses, 12 * kMiB) == first - 44 * kMiB);
  }
  SUBCASE("an empty region goes back, and the highest gap is filled first") {
    const std::uint64_t second = take(addresses, 100 * kMiB);
    const std::uint64_t third = take(addresses, 100 * kMiB);
    addresses.give_back(first, 100 * kMiB);
    addresses.give_back(second, 100 * kMiB);
    CHECK(take(addresses, 30 * kMiB) == first + 96 * kMiB);
    CHECK(take(addresses, 30 * kMiB) == first + 64 * kMiB);
    addresses.give_back(third, 100 * kMiB);
    CHECK(take(addresses, 190 * kMiB) == first - 128 * kMiB);
  }
  SUBCASE("a region with one page in use stays") {
    const std::uint64_t page = take(addresses, kPage);
    addresses.give_back(first, 100 * kMiB);
    CHECK(page == first + 100 * kMiB);
    CHECK(take(addresses, 100 * kMiB) == first);
  }
}

TEST_CASE("a range that is given back joins the free ranges before and after it") {
  for (const bool lower_first : {true, false}) {
    FreeRanges ranges(100, 100);
    REQUIRE(ranges.take(10, 1) == 100);
    REQUIRE(ranges.take(10, 1) == 110);
    REQUIRE(ranges.take(80, 1) == 120);
    ranges.give_back(120, 80);
    ranges.give_back(lower_first ? 100 : 110, 10);
    ranges.give_back(lower_first ? 110 : 100, 10);
    CHECK(ranges.is_free(100, 100));
    CHECK(ranges.take(100, 1) == 100);
  }
}

TEST_CASE("addresses in the order of Windows are packed from the lowest on") {
  AddressSpace addresses(true);
  const std::uint64_t first = take(addresses, 20 * kMiB);
  CHECK(take(addresses, 2 * kMiB) == first + 20 * kMiB);
  CHECK(take(addresses, 100 * kMiB) == first + 22 * kMiB);
  addresses.give_back(first, 20 * kMiB);
  CHECK(take(addresses, 24 * kMiB) == first + 122 * kMiB);
  CHECK(take(addresses, 12 * kMiB) == first);
  addresses.give_back(first, 12 * kMiB);
  addresses.give_back(first + 20 * kMiB, 2 * kMiB);
  addresses.give_back(first + 22 * kMiB, 100 * kMiB);
  addresses.give_back(first + 122 * kMiB, 24 * kMiB);
  CHECK(take(addresses, 100 * kMiB) == first);
}
