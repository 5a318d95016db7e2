#include "support/rewound.hpp"

#include <doctest/doctest.h>

// The sizes of blocks in the middle of a recording: what the allocator split off, and what it left.

using namespace memviz;
using namespace memviz::test;

TEST_CASE("the room that an allocation took follows PyTorch's rules") {
  constexpr std::uint64_t kAddress = 0x10000000;
  const auto size_in = [&](std::uint64_t requested, std::uint64_t segment_bytes, const char* type, bool is_expandable) {
    SnapshotBuilder builder;
    builder.segment(kAddress, segment_bytes)
        .set("segment_type", type)
        .set("is_expandable", is_expandable)
        .inactive(segment_bytes);
    builder.free(kAddress, requested);
    return rewound(builder, after_event(-1)).blocks[0].size_bytes;
  };
  CHECK(size_in(1, 2 * MiB, "small", false) == 512);
  CHECK(size_in(513, 2 * MiB, "small", false) == 1024);
  CHECK(size_in(19 * MiB, 20 * MiB, "large", false) == 20 * MiB);
  CHECK(size_in(19 * MiB - 1, 20 * MiB, "large", false) == 20 * MiB);
  CHECK(size_in(19 * MiB - 513, 20 * MiB, "large", false) == 19 * MiB - 512);
  CHECK(size_in(19 * MiB - 1, 20 * MiB, "large", true) == 19 * MiB);
}

TEST_CASE("a block keeps the rest that a neighbour left it after the neighbour is gone") {
  constexpr std::uint64_t kFirst = 0x10000000;
  constexpr std::uint64_t kSecond = kFirst + 4 * MiB;
  SnapshotBuilder builder;
  builder.segment(kFirst, 20 * MiB).set("segment_type", "large").inactive(20 * MiB);
  SUBCASE("which was there when it was made: the rest was too small to be split off") {
    builder.alloc(kSecond, 6 * MiB).alloc(kFirst, 3 * MiB + 1).free(kSecond, 6 * MiB).free(kFirst, 3 * MiB + 1);
    CHECK(drawn_after(builder, 1) == "0x10000000+20971520: 3145729/4194304 6291456/6291456 -10485760");
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145729/4194304 -16777216");
  }
  SUBCASE("or came later: it began where the block ended") {
    builder.alloc(kFirst, 3 * MiB + 1).alloc(kSecond, 6 * MiB).free(kSecond, 6 * MiB).free(kFirst, 3 * MiB + 1);
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145729/4194304 -16777216");
  }
  SUBCASE("with a rest of exactly 1 MiB") {
    builder.alloc(kSecond, 6 * MiB).alloc(kFirst, 3 * MiB).free(kSecond, 6 * MiB).free(kFirst, 3 * MiB);
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145728/4194304 -16777216");
  }
  SUBCASE("but a rest of more than 1 MiB is split off") {
    builder.alloc(kSecond, 6 * MiB).alloc(kFirst, 3 * MiB - 512).free(kSecond, 6 * MiB).free(kFirst, 3 * MiB - 512);
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145216/3145216 -17826304");
  }
  SUBCASE("but not of one that was gone before it was made") {
    builder.alloc(kSecond, 6 * MiB).free(kSecond, 6 * MiB).alloc(kFirst, 3 * MiB + 1).free(kFirst, 3 * MiB + 1);
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145729/3146240 -17825280");
  }
  SUBCASE("nor of one that is freed after the moment, when it is there itself") {
    builder.alloc(kFirst, 3 * MiB + 1).free(kFirst, 3 * MiB + 1).alloc(kSecond, 6 * MiB).free(kSecond, 6 * MiB);
    CHECK(drawn_after(builder, 0) == "0x10000000+20971520: 3145729/3146240 -17825280");
  }
  SUBCASE("and frees of the same address are distinguished by the moment") {
    builder.alloc(kSecond, 6 * MiB).alloc(kFirst, 3 * MiB + 1).free(kSecond, 6 * MiB);
    builder.alloc(kSecond, 6 * MiB).free(kSecond, 6 * MiB).free(kFirst, 3 * MiB + 1);
    CHECK(drawn_after(builder, 3) == "0x10000000+20971520: 3145729/4194304 -16777216");
  }
}

TEST_CASE("settings of the allocator decide how sizes are rounded") {
  SnapshotBuilder builder;
  builder.segment(0x10000000, 40 * MiB).set("segment_type", "large").inactive(40 * MiB);
  builder.free(0x10000000, 5 * MiB + 1);
  SUBCASE("roundup_power2_divisions") {
    builder.set("allocator_settings", dict({{"roundup_power2_divisions", dict({{"1", 0}, {"4", 4}})}}));
    CHECK(rewound(builder, after_event(-1)).blocks[0].size_bytes == 6 * MiB);
  }
  SUBCASE("max_split_size") {
    builder.set("allocator_settings", dict({{"max_split_size", 4 * MiB}}));
    CHECK(rewound(builder, after_event(-1)).blocks[0].size_bytes == 40 * MiB);
  }
}
