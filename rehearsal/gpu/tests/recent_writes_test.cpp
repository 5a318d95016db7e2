#include "support.hpp"

#include <random>

using namespace memviz::rehearsal;

TEST_CASE("what the host wrote is read back until a kernel runs") {
  RecentWrites writes;
  const char text[] = "abcdefgh";
  char out[8];
  writes.write(1000, text, 8);
  writes.read(1000, out, 8);
  CHECK(std::string(out, 8) == "abcdefgh");
  writes.forget_all();
  writes.read(1000, out, 8);
  CHECK(std::string(out, 8) == std::string(8, '\0'));
}

TEST_CASE("large writes are not kept, and take away what they cover") {
  RecentWrites writes;
  const std::vector<char> large(100'000, 'x');
  char out[2];
  writes.write(1000, "ab", 2);
  writes.write(900, large.data(), large.size());
  writes.read(1000, out, 2);
  CHECK(out[0] == 0);
}

TEST_CASE("writes, fills, copies and losses agree with an array of bytes") {
  std::mt19937 random(3);
  RecentWrites writes;
  std::vector<unsigned char> truth(400, 0);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t at = random() % 300;
    const std::size_t bytes = 1 + random() % 100;
    const std::size_t from = random() % 300;
    std::vector<unsigned char> data(bytes, static_cast<unsigned char>(random()));
    switch (random() % 4) {
    case 0: writes.write(at, data.data(), bytes); break;
    case 1: writes.fill(at, data[0], bytes); break;
    case 2:
      writes.copy(at, from, bytes);
      data.assign(truth.begin() + static_cast<std::ptrdiff_t>(from),
                  truth.begin() + static_cast<std::ptrdiff_t>(from + bytes));
      break;
    default:
      writes.forget(at, bytes);
      data.assign(bytes, 0);
      break;
    }
    std::copy(data.begin(), data.end(), truth.begin() + static_cast<std::ptrdiff_t>(at));
    std::vector<unsigned char> seen(truth.size());
    writes.read(0, seen.data(), seen.size());
    REQUIRE(seen == truth);
  }
}
