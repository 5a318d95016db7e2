#include "fast_reader/record_scanner.hpp"

#include "fast_reader/record_lookahead.hpp"

#include "pickle/memo.hpp"
#include "value/document.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::fast_reader;
using pickle::Memo;
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
  RecordScanner scanner(bytes);
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

TEST_CASE("an empty list is distinguished from the key that follows it") {
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
  CHECK(rows(record("K\x01", "}")) == 1);           // a value that is not a small one
  CHECK(rows(record("K\x01", "\x8A\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"s)) == 1);
  CHECK(rows(record("K\x01", "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s)) == 1); // more than 60 bits
  CHECK(rows(record("K\x01", "](h\x00K\x01"s + "e")) == 1); // a list of other things than references
  CHECK(rows(record("X\xFF\xFF\xFF\xFF", "K\x01")) == 1);   // a text longer than the file
  CHECK(rows("") == 1);
}

TEST_CASE("records that are numbered in the memo at their end go on as such") {
  const std::string plain = "}(h\x00K\x01h\x01K\x02u"s;
  const auto rows = [](const std::string& bytes) { return scanned(bytes + kPadding).cells.size() / 2; };
  CHECK(rows(plain + plain) == 2);
  CHECK(rows(plain + "\x94" + plain + "\x94") == 2);
  CHECK(rows(plain + "\x94" + plain) == 1);
  CHECK(rows(plain + plain + "\x94") == 1);
  CHECK(rows(record("K\x01", "K\x02") + record("K\x01", "K\x02") + "\x94") == 1);
}

TEST_CASE("values that look different from those of the record before are read all the same") {
  // Each is scanned after each: the pattern of one must not change the values read from the other.
  const std::vector<std::string> values{
      "K\x01",
      "K\xFF",
      "M\xFF\xFF",
      "J\xFF\xFF\xFF\xFF",
      "J\xFF\xFF\xFF\x7F",
      "\x8A\x00"s,
      "\x8A\x01\x80",
      "\x8A\x05\x00\x00\x00\x00\x80"s,
      "\x8A\x07\xFF\xFF\xFF\xFF\xFF\xFF\x7F",
      "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
      "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x07",
      "N",
      "\x88",
      "\x89",
      "h\x00"s,
      "h\x01",
      "j\x01\x00\x00\x00"s,
      "\x8C\x03N/A\x94",
      "\x8C\x03N/A",
      "\x8C\x03N/B\x94",
      "\x8C\x0Dof many bytes\x94",
      "K\x01K\x01\x86\x94",
      "K\x01K\x02\x86\x94",
      "K\x01M\x01\x00\x86"s,
      "M\x01\x00K\x01\x86"s,
      "]\x94",
      "]",
      "](h\x00h\x01"s + "e",
  };
  const auto meaning = [](const std::string& bytes, const RecordRun& run, std::size_t cell) {
    const Value value = run.cells[cell];
    std::string text = std::to_string(static_cast<int>(value.kind())) + ' ';
    if (value.kind() == Kind::text)
      return text + std::string(inline_text(bytes, value)) + (is_memoized(value) ? " kept" : "");
    if (value.kind() == Kind::list)
      return text + std::string(run.lists[value.payload() >> 1U].fetches) + (is_memoized(value) ? " kept" : "");
    return text + std::to_string(value.bits());
  };
  const auto alone = [&](const std::string& value) {
    const std::string bytes = record(value, "K\x07") + kPadding;
    const RecordRun run = scanned(bytes);
    REQUIRE(run.cells.size() == 2);
    return meaning(bytes, run, 0);
  };
  for (const std::string& before : values) {
    for (const std::string& value : values) {
      CAPTURE(before);
      CAPTURE(value);
      const std::string bytes =
          record(before, "K\x07") + record(before, "K\x07") + record(value, "K\x07") + record(before, value) + kPadding;
      const RecordRun run = scanned(bytes);
      REQUIRE(run.cells.size() == 8);
      CHECK(meaning(bytes, run, 2) == alone(before));
      CHECK(meaning(bytes, run, 4) == alone(value));
      CHECK(meaning(bytes, run, 6) == alone(before));
      CHECK(meaning(bytes, run, 7) == alone(value));
      CHECK(run.cells[5] == Value::integer(7));
    }
  }
}

TEST_CASE("frames between records that look like the ones before are passed over") {
  const std::string frame = "\x95\x01\x00\x00\x00\x00\x00\x00\x00"s;
  const std::string plain = record("K\x01", "h\x00"s);
  const std::vector<std::string> framed{
      "}\x94(" + frame + "h\x00K\x01h\x01h\x00u"s,         "}\x94(h\x00"s + frame + "K\x01h\x01h\x00u"s,
      "}\x94(h\x00K\x01"s + frame + "h\x01h\x00u"s,        "}\x94(h\x00K\x01h\x01"s + frame + "h\x00u"s,
      "}\x94(h\x00K\x01h\x01h\x00"s + frame + frame + "u",
  };
  for (const std::string& between : framed) {
    const RecordRun run = scanned(plain + plain + between + plain + kPadding);
    REQUIRE(run.cells.size() == 8);
    for (std::size_t row = 0; row < 8; row += 2) {
      CHECK(run.cells[row] == Value::integer(1));
      CHECK(run.cells[row + 1] == Value(Kind::memo_reference, 0));
    }
  }
}

TEST_CASE("a list that was digested before is found by its bytes") {
  std::string fetches;
  for (char i = 0; i < 60; ++i)
    fetches += std::string("j") + i + "\x02\x00\x00"s;
  const DigestedList known{fetches, Value(Kind::digest, 5)};
  DigestGuesses guesses;
  guesses.add(known);
  const auto second_cell = [&](const std::string& list) {
    const std::string bytes = record("K\x01", "K\x01") + record("K\x01", list) + kPadding;
    Document document;
    const Memo memo = two_keys(document);
    RecordScanner scanner(bytes, &guesses);
    RecordRun run;
    scanner.scan(scanner.learn(0, memo).value(), bytes.size(), run);
    REQUIRE(run.cells.size() == 4);
    if (run.cells[3].kind() == Kind::list) {
      CHECK("]\x94(" + std::string(run.lists.back().fetches) + "e" == list);
    }
    return run.cells[3];
  };
  SUBCASE("whether or not the memo gets it") {
    CHECK(second_cell("]\x94(" + fetches + "e") == Value(Kind::digest, 5U << 1U | 1U));
    CHECK(second_cell("](" + fetches + "e") == Value(Kind::digest, 5U << 1U));
  }
  SUBCASE("not if it is longer, shorter or another one") {
    std::string other = fetches;
    other[4 * 50 + 1] ^= 1;
    for (const std::string& list : {fetches + "h\x01", fetches.substr(0, 5 * 59), fetches.substr(0, 5 * 20), other})
      CHECK(second_cell("]\x94(" + list + "e").kind() == Kind::list);
  }
  SUBCASE("until a list that begins like it takes its place") {
    const std::string longer = fetches + "h\x01";
    const DigestedList next{longer, Value(Kind::digest, 6)};
    guesses.add(next);
    CHECK(second_cell("]\x94(" + longer + "e") == Value(Kind::digest, 6U << 1U | 1U));
    CHECK(second_cell("]\x94(" + fetches + "e").kind() == Kind::list);
  }
  SUBCASE("nor beyond the end of the file") {
    const std::string bytes = record("K\x01", "]\x94(" + fetches + "e") + kPadding;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      // A buffer of exactly that size, so that the sanitizers see a read after it.
      const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      Document document;
      const Memo memo = two_keys(document);
      RecordScanner scanner({exact.data(), exact.size()}, &guesses);
      const auto pattern = scanner.learn(0, memo);
      RecordRun run;
      if (pattern) scanner.scan(*pattern, size, run);
      CHECK(run.end_offset <= size);
    }
  }
}

TEST_CASE("no prefix of a file is read beyond its end") {
  const std::string likewise = record("\x8C\x03N/A\x94", "\x8A\x07\x01\x02\x03\x04\x05\x06\x07");
  const std::string bytes = likewise + likewise + likewise + record("\x8C\x03N/A\x94", "](h\x00h\x01"s + "e") +
                            record("K\x01K\x02\x86", "K\x02") + kPadding;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // A buffer of exactly that size, so that the sanitizers see a read after it.
    const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Document document;
    const Memo memo = two_keys(document);
    RecordScanner scanner({exact.data(), exact.size()});
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
  RecordScanner scanner(bytes);
  const RecordPattern pattern = scanner.learn(0, memo).value();
  const DigestGuesses guesses;
  CHECK(make_lookahead(bytes, guesses, 1) == nullptr);
  const auto lookahead = make_lookahead(bytes, guesses, 3);
  lookahead->add_pattern(pattern, 0);
  std::size_t rows_ahead = 0;
  std::uint64_t offset = 0;
  while (offset < bytes.size() - kPadding.size()) {
    if (RecordRun* const run = lookahead->take(offset)) {
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
