#include "memviz/error.hpp"
#include "pickle/decoder.hpp"
#include "pickle/locate.hpp"
#include "support/python_value.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::test;
using namespace std::string_literals;

namespace {

std::string message_of(const std::string& bytes) {
  try {
    static_cast<void>(pickle::decode(bytes));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "decoded";
}

} // namespace

TEST_CASE("an opcode that could run code is refused by name and offset") {
  const std::vector<std::pair<std::string, std::string>> refused{{"cos\nsystem\n.", "GLOBAL"},
                                                                 {"\x8C\x02os\x8C\x06system\x93.", "STACK_GLOBAL"},
                                                                 {"N)R.", "REDUCE"},
                                                                 {"NNb.", "BUILD"},
                                                                 {"(ios\nsystem\n.", "INST"},
                                                                 {"(No.", "OBJ"},
                                                                 {"N)\x81.", "NEWOBJ"},
                                                                 {"N)}\x92.", "NEWOBJ_EX"},
                                                                 {"P1\n.", "PERSID"},
                                                                 {"NQ.", "BINPERSID"},
                                                                 {"\x82\x01.", "EXT1"},
                                                                 {"\x83\x01\x01.", "EXT2"},
                                                                 {"\x84\x01\x01\x01\x01.", "EXT4"},
                                                                 {"\x97.", "NEXT_BUFFER"},
                                                                 {"N\x98.", "READONLY_BUFFER"}};
  for (const auto& file : refused) {
    CAPTURE(file.second);
    const std::string message = message_of(file.first);
    CHECK(message.find("found the opcode " + file.second + ",") != std::string::npos);
    CHECK(message.find("memviz ran none") != std::string::npos);
    CHECK(message.starts_with("byte "));
  }
  SUBCASE("and what it would import is named") {
    CHECK(message_of("\x80\x02"
                     "cposix\nsystem\nq\x01.")
              .find("('posix.system')") != std::string::npos);
    CHECK(message_of("\x8C\x02os\x8C\x06system\x93.").find("byte 12: ") == 0);
    CHECK(message_of("\x8C\x02os\x8C\x06system\x93.").find("('os.system')") != std::string::npos);
  }
}

TEST_CASE("what is not a pickle is refused at the byte that shows it") {
  CHECK(message_of("") == "byte 0: expected an opcode, found the end of the file: is it cut off?");
  CHECK(message_of("\xFE.") == "byte 0: expected a pickle opcode, found byte 0xfe");
  CHECK(message_of(".") == "byte 0: expected a value on the pickle stack, found none");
  CHECK(message_of("e") == "byte 0: expected a mark on the pickle stack, found none");
  CHECK(message_of("N(e.") == "byte 2: expected a list to add to, found None");
  CHECK(message_of("}(NNNu.") == "byte 5: expected keys and values in pairs, found 3 of them");
  CHECK(message_of("}(]Nu.") == "byte 4: expected a key that Python can hash, found a list");
  CHECK(message_of("N\x86.") == "byte 1: expected 2 values on the pickle stack, found fewer");
  CHECK(message_of("](a.") == "byte 2: expected a value on the pickle stack, found none");
  CHECK(message_of("\x8B\xFF\xFF\xFF\xFF.") == "byte 0: expected the size of an integer, found -1");
}

TEST_CASE("a length that the file does not hold is refused before anything is read") {
  CHECK(message_of("X\xFF\xFF\xFF\xFFhi.") == "byte 5: expected 4294967295 more bytes, found 3: is the file cut off?");
  CHECK(message_of("\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFhi.")
            .starts_with("byte 9: expected 18446744073709551615 more bytes"));
  CHECK(message_of("\x8B\xFF\xFF\xFF\x7Fhi.").starts_with("byte 5: expected 2147483647 more bytes"));
}

TEST_CASE("nesting costs memory, not stack") {
  std::string nested(1'000'000, ']');
  nested += std::string(999'999, 'a') + ".";
  CHECK(message_of(nested) == "decoded");
  CHECK(message_of(std::string(1'000'000, '(')) ==
        "byte 1000000: expected an opcode, found the end of the file: is it cut off?");
}

TEST_CASE("every truncation of a pickle is an error") {
  SnapshotBuilder builder;
  builder.segment(0x7f0000000000, 2 * MiB)
      .active(512, 500, {"train.py:12:step", "train.py:90:main"})
      .inactive(2 * MiB - 512);
  builder.alloc(0x7f0000000000, 500, {"train.py:12:step"});
  for (const PickleStyle style :
       {PickleStyle{0, false}, PickleStyle{2, false}, PickleStyle{4, false}, PickleStyle{2, true}}) {
    const std::string whole = builder.pickle(style);
    REQUIRE(message_of(whole) == "decoded");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(message_of(whole.substr(0, size)).starts_with("byte "));
    }
  }
}

TEST_CASE("every single changed byte gives a result or an error, and never a crash") {
  SnapshotBuilder builder;
  builder.segment(0x7f0000000000, 2 * MiB).active(512, 500, {"train.py:12:step"}).inactive(2 * MiB - 512);
  builder.alloc(0x7f0000000000, 500, {"train.py:12:step"}).free(0x7f0000000000, 500);
  const std::string whole = builder.pickle();
  // All 255 changes would take minutes under the sanitizers: 15 that are spread over the bits do.
  constexpr int kStep = 17;
  std::size_t results = 0;
  std::size_t errors = 0;
  for (std::size_t position = 0; position < whole.size(); ++position) {
    for (int change = 1; change < 256; change += kStep) {
      std::string changed = whole;
      changed[position] = static_cast<char>(changed[position] ^ change);
      try {
        static_cast<void>(read_snapshot(changed));
        ++results;
      } catch (const Error&) {
        ++errors;
      }
    }
  }
  CHECK(results + errors == 255 / kStep * whole.size());
  CHECK(errors > results);
}

TEST_CASE("an offset is found again by decoding up to the container") {
  const std::string bytes = "](N}]e."s;
  const pickle::Decoded decoded = pickle::decode(bytes);
  std::vector<std::uint64_t> offsets;
  decoded.document.for_each(decoded.document.root, [&](Value item) {
    offsets.push_back(pickle::offset_of(bytes, item));
    return true;
  });
  CHECK(pickle::offset_of(bytes, decoded.document.root) == 0);
  CHECK(offsets == std::vector<std::uint64_t>{0, 3, 4});
}
