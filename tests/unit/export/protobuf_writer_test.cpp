#include "formats/protobuf_writer.hpp"

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace memviz;

TEST_CASE("ProtobufWriter") {
  ProtobufWriter writer;

  // The first two are the examples of protobuf.dev/programming-guides/encoding.
  SUBCASE("writes an integer in groups of seven bits, the lowest first") {
    CHECK(writer.number(1, 150).bytes() == "\x08\x96\x01");
  }
  SUBCASE("writes a text with its length before it") {
    CHECK(writer.text(2, "testing").bytes() == "\x12\x07testing");
  }
  SUBCASE("writes the largest integer in ten bytes") {
    CHECK(writer.number(1, std::numeric_limits<std::uint64_t>::max()).bytes() ==
          "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  }
  SUBCASE("writes zero, and a field above 15 in two bytes") {
    CHECK(writer.number(60, 0).bytes() == std::string("\xe0\x03\x00", 3));
  }
  SUBCASE("packs all integers of a field") {
    CHECK(writer.packed(6, std::array<std::uint64_t, 3>{3, 270, 86942}).bytes() == "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  }
  SUBCASE("nests a message as its bytes") {
    CHECK(writer.message(3, ProtobufWriter().number(1, 150)).bytes() == "\x1a\x03\x08\x96\x01");
  }
}
