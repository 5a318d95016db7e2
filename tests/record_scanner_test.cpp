#include "pickle/record_scanner.hpp"

#include "pickle/record_lookahead.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::pickle;
using namespace std::string_literals;

namespace {

/// Memo entry 0 is the text "a", entry 1 the text "b".
Memo two_keys(Document& document) {
  Memo memo;
  memo.put_next(document.add_text("a"));
  memo.put_next(document.add_text("b"));
  return memo;
}

const std::string kPadding(64, '\0'); // the scanner leaves the end of a file to the machine

/// {a: FIRST, b: SECOND}
std::string record(const std::string& first, const std::string& second) {
  return "}\x94(h\x00"s + first + "h\x01" + second + "u";
}

RecordRun scanned(const std::string& bytes) {
  Document document;
  const Memo memo = two_keys(document);
  const RecordScanner scanner(bytes);
  RecordRun run;
  const auto pattern = scanner.learn(0, memo);
  if (pattern) scanner.scan(*pattern, bytes.size(), run);
  return run;
}

} // namespace

TEST_CASE("a record of numbers is a row of values") {
  const RecordRun run =
      scanned(record("K\x07", "J\xFF\xFF\xFF\xFF") + record("\x8A\x06\x00\x10\x00\x00\x7F\x00"s, "N") + kPadding);
  REQUIRE(run.cells.size() == 4);
  CHECK(run.cells[0] == Value::integer(7));
  CHECK(run.cells[1] == Value::integer(-1));
  CHECK(run.cells[2] == Value::integer(0x7F00001000));
  CHECK(run.cells[3] == Value::none());
}

TEST_CASE("what is written in place is remembered by its bytes") {
  const std::string bytes = record("\x8C\x03N/A\x94", "]\x94(h\x00j\x01\x00\x00\x00"s + "e") +
                            record("]h\x01"s + "a", "K\x02K\x03\x86\x94") + kPadding;
  const RecordRun run = scanned(bytes);
  REQUIRE(run.cells.size() == 4);
  CHECK(inline_text(bytes, run.cells[0]) == "N/A");
  CHECK(is_memoized(run.cells[0]));
  REQUIRE(run.lists.size() == 2);
  CHECK(run.lists[0].fetches == "h\x00j\x01\x00\x00\x00"s);
  CHECK(is_memoized(run.cells[1]));
  CHECK(run.lists[1].fetches == "h\x01");
  CHECK_FALSE(is_memoized(run.cells[2]));
  CHECK(inline_pair(run.cells[3]) == std::pair<std::uint64_t, std::uint64_t>(2, 3));
}

TEST_CASE("an empty list is told from the key that follows it") {
  const RecordRun run = scanned(record("]\x94", "K\x01") + record("](e", "K\x01") + kPadding);
  REQUIRE(run.cells.size() == 4);
  CHECK(run.lists[0].fetches.empty());
  CHECK(run.lists[1].fetches.empty());
}

TEST_CASE("frames and the ends of batches between records are passed over") {
  const std::string frame = "\x95\x01\x00\x00\x00\x00\x00\x00\x00"s;
  const std::string inner = "}\x94(" + frame + "h\x00K\x01"s + frame + "h\x01" + frame + "K\x02" + frame + "u";
  const RecordRun run =
      scanned(record("K\x01", "K\x02") + frame + inner + "e" + frame + "(" + record("K\x03", "K\x04") + kPadding);
  CHECK(run.cells.size() == 6);
}

TEST_CASE("the scanner stops before what does not fit") {
  const std::string good = record("K\x01", "K\x02");
  const auto rows = [&](const std::string& bad) {
    const RecordRun run = scanned(good + bad + kPadding);
    CHECK(run.end_offset == good.size());
    return run.cells.size() / 2;
  };
  CHECK(rows("}\x94(h\x01K\x01h\x00K\x02u"s) == 1); // other keys
  CHECK(rows("}(h\x00K\x01h\x01K\x02u"s) == 1);     // not memoized
  CHECK(rows(record("K\x01", "}")) == 1);           // a value that is no small one
  CHECK(rows(record("K\x01", "\x8A\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"s)) == 1);
  CHECK(rows(record("K\x01", "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s)) == 1); // more than 60 bits
  CHECK(rows(record("K\x01", "](h\x00K\x01"s + "e")) == 1); // a list of other things than references
  CHECK(rows(record("X\xFF\xFF\xFF\xFF", "K\x01")) == 1);   // a text longer than the file
  CHECK(rows("") == 1);
}

TEST_CASE("no prefix of a file is read beyond its end") {
  const std::string bytes =
      record("\x8C\x03N/A\x94", "](h\x00h\x01"s + "e") + record("K\x01K\x02\x86", "K\x02") + kPadding;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // A buffer of exactly that size, so that the sanitizers see a read behind it.
    const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Document document;
    const Memo memo = two_keys(document);
    const RecordScanner scanner({exact.data(), exact.size()});
    const auto pattern = scanner.learn(0, memo);
    RecordRun run;
    if (pattern) scanner.scan(*pattern, size, run);
    CHECK(run.end_offset <= size);
  }
}

TEST_CASE("runs found ahead are those that the scanner finds in place") {
  std::string bytes;
  while (bytes.size() < 6'000'000)
    bytes += record("J\x7D\x94\x28\x68", "K\x02") +
             (bytes.size() % 1000 == 0 ? "N0" : ""); // a number that looks like a record
  bytes += kPadding;
  Document document;
  const Memo memo = two_keys(document);
  const RecordScanner scanner(bytes);
  const RecordPattern pattern = scanner.learn(0, memo).value();
  RecordLookahead lookahead(bytes, 3);
  lookahead.add_pattern(pattern, 0);
  std::size_t rows_ahead = 0;
  std::uint64_t offset = 0;
  while (offset < bytes.size() - kPadding.size()) {
    if (RecordRun* const run = lookahead.take(offset)) {
      RecordRun again;
      again.begin_offset = again.end_offset = offset;
      scanner.scan(pattern, run->end_offset, again);
      REQUIRE(again.end_offset == run->end_offset);
      REQUIRE(again.cells == run->cells);
      rows_ahead += run->cells.size() / 2;
      offset = run->end_offset;
      continue;
    }
    RecordRun here;
    here.begin_offset = here.end_offset = offset;
    scanner.scan(pattern, offset + 1, here);
    offset = here.cells.empty() ? offset + 1 : here.end_offset;
  }
  WARN(rows_ahead > 0); // on a busy machine the other threads may come too late every time
}
