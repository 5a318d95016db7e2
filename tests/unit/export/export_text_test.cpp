#include "base/printable.hpp"
#include "export/segment_bar.hpp"
#include "export/segment_map.hpp"
#include "export/text_table.hpp"
#include "memviz/export.hpp"
#include "support/contains.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <sstream>

namespace memviz {

using test::contains;
using test::SmallSnapshot;

namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, column_count(line));
  return widest;
}

std::string text_of(const Recording& snapshot) {
  return stats_text("mem.pickle", test::end_of(snapshot), std::nullopt);
}

} // namespace

TEST_CASE("TextTable aligns columns and leaves no spaces at the end of a line") {
  TextTable table{Align::left, Align::right, Align::left};
  table.add_row({"name", "bytes", "note"});
  table.add_row({"\xC3\xA9", "12,345", ""});
  CHECK(table.text("  ") == "  name   bytes  note\n"
                            "  \xC3\xA9     12,345\n");
}

TEST_CASE("segment_bar") {
  SmallSnapshot builder;
  const auto bar = [&](std::size_t columns) {
    const Recording snapshot = builder.take();
    return segment_bar(snapshot.end, snapshot.end.segments.front(), columns);
  };
  builder.segment(4096, 8000);
  SUBCASE("shows used and free parts in their places") {
    CHECK((builder.active(4000, 1).inactive(4000), bar(8)) == "####....");
  }
  SUBCASE("shows how much of a character's part is used") {
    builder.active(1600, 1).inactive(1400).active(300, 1).inactive(4700);
    CHECK(bar(4) == "+-..");
  }
  SUBCASE("marks what waits to be freed and what no block covers") {
    CHECK((builder.pending(4000, 1), bar(4)) == "pp??");
  }
  SUBCASE("fits a segment of the largest size there is") {
    builder.segment(0, std::numeric_limits<std::uint64_t>::max());
    builder.active(std::numeric_limits<std::uint64_t>::max() / 2, 1);
    const Recording snapshot = builder.take();
    CHECK(segment_bar(snapshot.end, snapshot.end.segments.back(), 4) == "##??");
  }
  SUBCASE("fits a segment of fewer bytes than characters") {
    builder.segment(0, 2).active(1, 1).inactive(1);
    const Recording snapshot = builder.take();
    CHECK(segment_bar(snapshot.end, snapshot.end.segments.back(), 4) == " # .");
  }
}

TEST_CASE("settings that differ by a number share a row, one whose name ends with a dot has its own") {
  SmallSnapshot builder;
  builder.setting("divisions.1", "0").setting("divisions.512", "8").setting("odd.", "7").setting("odd.1", "9");
  const std::string text = text_of(builder.segment(4096, 8000).inactive(8000).take());
  CHECK(contains(text, "divisions  1: 0, 512: 8\n"));
  CHECK(contains(text, "odd.       7\n"));
  CHECK(contains(text, "odd.1      9\n"));
}

TEST_CASE("there is no map of segments where all of them were released") {
  SmallSnapshot builder;
  builder.event(Action::segment_alloc, 4096, 8000).event(Action::alloc, 4096, 8000);
  builder.event(Action::free_completed, 4096, 8000).event(Action::segment_free, 4096, 8000);
  const std::string text = text_of(builder.take());
  CHECK(contains(text, "GPU 0"));
  CHECK_FALSE(contains(text, "Segments of"));
}

TEST_CASE("segment_map shows the largest segments and says how many it leaves out") {
  SmallSnapshot builder;
  for (std::uint64_t i = 0; i < 25; ++i)
    builder.segment(i << 30U, 1024 * (i + 1)).inactive(1024 * (i + 1));
  const std::string map = segment_map(replay(builder.take()), {});
  CHECK(map.starts_with("Segments of GPU 0 (25; the 20 largest are shown, the other 5 are omitted)\n"));
  CHECK(contains(map, "25.0 KiB"));
  CHECK(contains(map, "6.00 KiB"));
  CHECK(!contains(map, "5.00 KiB"));
}

TEST_CASE("stats_text") {
  SmallSnapshot builder;

  SUBCASE("says that there is nothing") {
    CHECK(contains(text_of(builder.take()), "No segments and no events"));
  }
  SUBCASE("stays within 100 columns and one line for names that are long or hostile") {
    const std::string name = "f" + std::string(5000, 'n') + "\n\x1b[2Jforged";
    const std::string frame = "/app/" + name + ".py:1:" + name;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 59U;
    builder.segment(0, 4096).inactive(4096);
    builder.segment(std::numeric_limits<std::uint64_t>::max() - kMost, kMost, std::numeric_limits<std::int64_t>::min());
    builder.pool({std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()});
    builder.active(kMost, kMost - 1, builder.stack({frame}));
    builder.setting(name, name);
    const std::string text = text_of(builder.take());
    CHECK(widest_line(text) <= 100);
    CHECK(!contains(text, "\x1b"));
    CHECK(!contains(text, "\nforged"));
  }
}

} // namespace memviz
