#include "timeline/timeline_scale.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

using namespace memviz;
using namespace memviz::render;

namespace {

/// Returns the ticks as "AT TEXT", AT in whole pixels.
std::string drawn(const std::vector<Tick>& ticks) {
  std::vector<std::string> words;
  for (const Tick& tick : ticks)
    words.push_back(fmt::format("{:.0f} {}", tick.at, tick.text));
  return fmt::format("{}", fmt::join(words, ", "));
}

} // namespace

TEST_CASE("ticks of bytes are a power of two apart, at most six above 0") {
  CHECK(drawn(ByteScale(63, 0, 128, 0).ticks()) == "128 0, 96 16 B, 64 32 B, 32 48 B, 0 64 B");
  CHECK(drawn(ByteScale(96, 0, 194, 0).ticks()) == "194 0, 162 16 B, 130 32 B, 98 48 B, 66 64 B, 34 80 B, 2 96 B");
  CHECK(drawn(ByteScale(63, 0, 50, 0).ticks()) == "50 0, 25 32 B, 0 64 B"); // 20 pixels or more
}

TEST_CASE("a scale that is cut has ticks from the cut on") {
  const ByteScale scale(1055, 1020, 158, 0);
  CHECK(scale.cut_bytes() == 1016);
  CHECK(drawn(scale.ticks()) == "158 0, 122 1,016 B, 98 1.00 KiB, 73 1.01 KiB, 49 1.02 KiB, 24 1.02 KiB, 0 1.03 KiB");
}

TEST_CASE("ticks of events are 1, 2 or 5 times a power of ten apart, within the range") {
  const DeviceRecord record;
  const auto texts = [&](double begin, double end) {
    std::vector<std::string> words;
    for (const Tick& tick : StateScale(record, TimelineAxis::event, {}, {begin, end, 0}).ticks())
      words.push_back(tick.text);
    return fmt::format("{}", fmt::join(words, " "));
  };
  CHECK(texts(0, 9) == "0 1 2 3 4 5 6 7 8");
  CHECK(texts(0, 10) == "0 2 4 6 8");
  CHECK(texts(0, 19) == "0 5 10 15");
  CHECK(texts(0, 90) == "0 10 20 30 40 50 60 70 80");
  CHECK(texts(15, 96) == "20 30 40 50 60 70 80 90");
  CHECK(texts(-3, 12) == "0 2 4 6 8 10");
}
