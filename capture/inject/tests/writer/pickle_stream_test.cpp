#include "pickle_stream.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

using memviz::capture::MemoId;
using memviz::capture::PickleStream;
using namespace std::string_literals;

namespace {

using Fill = std::function<void(PickleStream&)>;

std::string pickled(const Fill& fill) {
  std::ostringstream out;
  PickleStream stream(out);
  fill(stream);
  stream.finish();
  return out.str();
}

/// Returns the opcodes, without the header, the frames' headers and STOP. Checks all of these.
std::string opcodes(const Fill& fill) {
  const std::string bytes = pickled(fill);
  REQUIRE(bytes.substr(0, 2) == "\x80\x04"s);
  std::string result;
  std::size_t at = 2;
  while (at < bytes.size()) {
    REQUIRE(bytes[at] == '\x95');
    std::uint64_t length = 0;
    for (std::size_t i = 8; i != 0; --i)
      length = length << 8U | static_cast<unsigned char>(bytes.at(at + i));
    REQUIRE(length <= bytes.size() - at - 9);
    result += bytes.substr(at + 9, length);
    at += 9 + length;
  }
  REQUIRE(result.back() == '.');
  result.pop_back();
  return result;
}

std::string integer(std::int64_t value) {
  return opcodes([&](PickleStream& stream) { stream.integer(value); });
}

std::string natural(std::uint64_t value) {
  return opcodes([&](PickleStream& stream) { stream.natural(value); });
}

std::size_t count(std::string_view bytes, std::string_view wanted) {
  std::size_t found = 0;
  for (std::size_t at = bytes.find(wanted); at != std::string_view::npos; at = bytes.find(wanted, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("PickleStream: integers take as few bytes as they can") {
  CHECK(integer(0) == "K\0"s);
  CHECK(integer(255) == "K\xFF");
  CHECK(integer(256) == "M\x00\x01"s);
  CHECK(integer(65535) == "M\xFF\xFF");
  CHECK(integer(65536) == "J\x00\x00\x01\x00"s);
  CHECK(integer(2147483647) == "J\xFF\xFF\xFF\x7F");
  CHECK(integer(2147483648) == "\x8A\x05\x00\x00\x00\x80\x00"s);
  CHECK(integer(0x7F0000000000) == "\x8A\x06\x00\x00\x00\x00\x00\x7F"s);
  CHECK(integer(-1) == "J\xFF\xFF\xFF\xFF");
  CHECK(integer(-2147483648) == "J\x00\x00\x00\x80"s);
  CHECK(integer(-2147483649) == "\x8A\x05\xFF\xFF\xFF\x7F\xFF");
  CHECK(integer(std::numeric_limits<std::int64_t>::min()) == "\x8A\x08\x00\x00\x00\x00\x00\x00\x00\x80"s);
  CHECK(natural(std::uint64_t{1} << 63U) == "\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00"s);
  CHECK(natural(std::numeric_limits<std::uint64_t>::max()) == "\x8A\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"s);
}

TEST_CASE("PickleStream: other scalars") {
  CHECK(opcodes([](PickleStream& stream) { stream.boolean(true); }) == "\x88");
  CHECK(opcodes([](PickleStream& stream) { stream.boolean(false); }) == "\x89");
  CHECK(opcodes([](PickleStream& stream) { stream.real(0.25); }) == "G\x3F\xD0\x00\x00\x00\x00\x00\x00"s);
  CHECK(opcodes([](PickleStream& stream) { stream.pair(0, 300); }) == "K\0M\x2C\x01\x86"s);
}

TEST_CASE("PickleStream: a text is written once") {
  const std::string twice = opcodes([](PickleStream& stream) {
    stream.begin_list();
    stream.text("name");
    stream.text("");
    stream.text("name");
    stream.end_list();
  });
  CHECK(twice == "](\x8C\x04name\x94\x8C\x00\x94h\x00"s + "e");
  const std::string longer = opcodes([](PickleStream& stream) { stream.text(std::string(256, 'x')); });
  CHECK(longer == "X\x00\x01\x00\x00"s + std::string(256, 'x') + "\x94");
}

TEST_CASE("PickleStream: references beyond 255 have four bytes") {
  const std::string bytes = opcodes([](PickleStream& stream) {
    stream.begin_list();
    for (int i = 0; i <= 256; ++i)
      stream.text(std::to_string(i));
    stream.text("255");
    stream.text("256");
    stream.end_list();
  });
  CHECK(bytes.substr(bytes.size() - 8) == "h\xFFj\x00\x01\x00\x00"s + "e");
}

TEST_CASE("PickleStream: containers") {
  SUBCASE("empty ones have no batch") {
    CHECK(opcodes([](PickleStream& stream) {
            stream.begin_dict();
            stream.end_dict();
          }) == "}");
  }
  SUBCASE("nested, and used again") {
    const std::string bytes = opcodes([](PickleStream& stream) {
      stream.begin_dict();
      stream.integer(1);
      stream.begin_list();
      stream.integer(2);
      stream.end_list();
      const MemoId list = stream.memoize();
      stream.integer(3);
      stream.reference(list);
      stream.end_dict();
    });
    CHECK(bytes == "}(K\x01](K\x02"
                   "e\x94K\x03h\x00u"s);
  }
  SUBCASE("a batch has 1000 items or 1000 pairs") {
    const auto list = [](int items) {
      return opcodes([&](PickleStream& stream) {
        stream.begin_list();
        for (int i = 0; i < items; ++i)
          stream.boolean(true);
        stream.end_list();
      });
    };
    const auto dict = [](int pairs) {
      return opcodes([&](PickleStream& stream) {
        stream.begin_dict();
        for (int i = 0; i < 2 * pairs; ++i)
          stream.boolean(true);
        stream.end_dict();
      });
    };
    CHECK(count(list(1000), "(") == 1);
    CHECK(list(1001).substr(1000) == "\x88\x88"
                                     "e(\x88"
                                     "e");
    CHECK(count(dict(1000), "(") == 1);
    CHECK(dict(1001).substr(2000) == "\x88\x88u(\x88\x88u");
  }
}

TEST_CASE("PickleStream: frames are near 64 KiB, whatever is in them") {
  const std::string bytes = pickled([](PickleStream& stream) {
    stream.begin_list();
    for (int i = 0; i < 100'000; ++i)
      stream.natural(std::uint64_t{1} << 40U);
    stream.text(std::string(200'000, 'x'));
    stream.end_list();
  });
  CHECK(count(bytes, "\x95") == 100'000 * 8 / 65536 + 2);
}

TEST_CASE("PickleStream: bytes that are not UTF-8 are replaced") {
  CHECK(opcodes([](PickleStream& stream) { stream.text("\xFF"); }) == "\x8C\x03\xEF\xBF\xBD\x94");
}
