#include "memviz/error.hpp"
#include "pickle/decoder.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace std::string_literals;

namespace {

/// The root as text, in Python's notation.
std::string repr(const Document& document, Value value) {
  switch (value.kind()) {
  case Kind::none: return "None";
  case Kind::boolean: return value.payload() != 0 ? "True" : "False";
  case Kind::integer:
  case Kind::wide_integer:
    if (const auto number = document.as_unsigned(value)) return std::to_string(*number);
    return std::to_string(document.as_signed(value).value_or(0));
  case Kind::real: return std::to_string(document.real(value));
  case Kind::text: return "'" + std::string(document.text(value)) + "'";
  case Kind::bytes: return "b'" + std::string(document.text(value)) + "'";
  case Kind::dict: {
    std::string text;
    document.for_each_item(value, [&](Value key, Value item) {
      text += (text.empty() ? "" : ", ") + repr(document, key) + ": " + repr(document, item);
    });
    return "{" + text + "}";
  }
  default: break;
  }
  std::string text;
  document.for_each(value, [&](Value item) {
    text += (text.empty() ? "" : ", ") + repr(document, item);
    return true;
  });
  return value.kind() == Kind::tuple ? "(" + text + ")" : "[" + text + "]";
}

std::string decoded(const std::string& bytes) {
  const pickle::Decoded result = pickle::decode(bytes);
  return repr(result.document, result.document.root);
}

} // namespace

TEST_CASE("pickle integers") {
  SUBCASE("BININT1, BININT2 and BININT are little-endian; only BININT is signed") {
    CHECK(decoded("K\xFF."s) == "255");
    CHECK(decoded("M\x01\x02."s) == "513");
    CHECK(decoded("J\xFE\xFF\xFF\xFF."s) == "-2");
  }
  SUBCASE("LONG1 is two's complement of any length up to 64 bits") {
    CHECK(decoded("\x8A\x00."s) == "0");
    CHECK(decoded("\x8A\x01\xFF."s) == "-1");
    CHECK(decoded("\x8A\x02\xFF\x00."s) == "255");
    CHECK(decoded("\x8A\x06\x00\x00\x00\x00\x00\x7F."s) == "139637976727552");
    CHECK(decoded("\x8A\x08\x00\x00\x00\x00\x00\x00\x00\x80."s) == "-9223372036854775808");
  }
  SUBCASE("LONG1 of nine bytes holds what is at or above 2^63") {
    CHECK(decoded("\x8A\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00."s) == "18446744073709551615");
    CHECK(decoded("\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."s) == "9223372036854775808");
  }
  SUBCASE("LONG1 and LONG4 padded with sign bytes are the number itself") {
    CHECK(decoded("\x8A\x0A\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00."s) == "5");
    CHECK(decoded("\x8B\x02\x00\x00\x00\x05\x00."s) == "5");
    CHECK(decoded("\x8A\x09\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF."s) == "-2");
  }
  SUBCASE("more than 64 bits become a number in double precision") {
    CHECK(decoded("\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s) == "18446744073709551616.000000");
    CHECK(decoded("\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x00\xFF."s) == "-18446744073709551616.000000");
    CHECK(decoded("\x8A\x0A\x00\x00\x00\x00\x00\x00\x00\x80\xFF\xFF."s) == "-9223372036854775808");
    CHECK(decoded("\x8A\x0A\x00\x00\x00\x00\x00\x00\x00\x00\xFF\xFF."s) == "-18446744073709551616.000000");
    CHECK(decoded("\x8A\x82" + std::string(0x81, '\0') + "\x01."s) == "inf");
    CHECK(decoded("L18446744073709551616L\n."s) == "18446744073709551616.000000");
    CHECK(decoded("L-18446744073709551616L\n."s) == "-18446744073709551616.000000");
    CHECK(decoded("L-1" + std::string(400, '0') + "L\n."s) == "-inf");
    CHECK_THROWS_AS(decoded("L1e5L\n."s), ParseError);
    CHECK_THROWS_AS(decoded("L-L\n."s), ParseError);
  }
  SUBCASE("INT and LONG are lines of text; I00 and I01 are bools") {
    CHECK(decoded("I42\n."s) == "42");
    CHECK(decoded("I-7\n."s) == "-7");
    CHECK(decoded("I01\n."s) == "True");
    CHECK(decoded("I00\n."s) == "False");
    CHECK(decoded("L18446744073709551615L\n."s) == "18446744073709551615");
    CHECK_THROWS_AS(decoded("Ifour\n."s), ParseError);
  }
}

TEST_CASE("pickle floats and constants") {
  CHECK(decoded("G\x3F\xE8\x00\x00\x00\x00\x00\x00."s) == "0.750000");
  CHECK(decoded("F0.75\n."s) == "0.750000");
  const pickle::Decoded infinite = pickle::decode("Finf\n."s);
  CHECK(std::isinf(infinite.document.real(infinite.document.root)));
  CHECK(decoded("N."s) == "None");
  CHECK(decoded("\x88."s) == "True");
  CHECK(decoded("\x89."s) == "False");
}

TEST_CASE("pickle text and bytes") {
  SUBCASE("the length comes in one, four or eight bytes") {
    CHECK(decoded("\x8C\x02hi."s) == "'hi'");
    CHECK(decoded("X\x02\x00\x00\x00hi."s) == "'hi'");
    CHECK(decoded("\x8D\x02\x00\x00\x00\x00\x00\x00\x00hi."s) == "'hi'");
    CHECK(decoded("C\x02hi."s) == "b'hi'");
    CHECK(decoded("B\x02\x00\x00\x00hi."s) == "b'hi'");
    CHECK(decoded("\x8E\x02\x00\x00\x00\x00\x00\x00\x00hi."s) == "b'hi'");
    CHECK(decoded("\x96\x02\x00\x00\x00\x00\x00\x00\x00hi."s) == "b'hi'");
  }
  SUBCASE("Python 2's strings are text") {
    CHECK(decoded("U\x02hi."s) == "'hi'");
    CHECK(decoded("T\x02\x00\x00\x00hi."s) == "'hi'");
    CHECK(decoded("S'a\\tb\\x41\\101\\'\\q'\n."s) == "'a\tbAA'\\q'");
    CHECK_THROWS_AS(decoded("S'open\n."s), ParseError);
  }
  SUBCASE("UNICODE is Latin-1 with escapes, whatever the locale") {
    CHECK(decoded("Vcaf\xE9 \\u20ac \\U0001F600\n."s) == "'café € 😀'");
    CHECK_THROWS_AS(decoded("V\\u12\n."s), ParseError);
  }
  SUBCASE("bytes that are not UTF-8 are kept: only outputs must be valid") {
    CHECK(decoded("\x8C\x02\xC3\x28."s) == "'\xC3\x28'");
  }
}

TEST_CASE("pickle containers") {
  SUBCASE("empty, and filled in batches or one by one") {
    CHECK(decoded("]."s) == "[]");
    CHECK(decoded("](K\x01K\x02"
                  "eK\x03"
                  "a."s) == "[1, 2, 3]");
    CHECK(decoded("}(\x8C\x01"
                  "aK\x01\x8C\x01"
                  "bK\x02u."s) == "{'a': 1, 'b': 2}");
    CHECK(decoded("}\x8C\x01"
                  "aK\x01s\x8C\x01"
                  "bK\x02s."s) == "{'a': 1, 'b': 2}");
    CHECK(decoded("}(u."s) == "{}");
  }
  SUBCASE("the forms of protocol 0") {
    CHECK(decoded("(lp0\nI1\naI2\na."s) == "[1, 2]");
    CHECK(decoded("(I1\nI2\nl."s) == "[1, 2]");
    CHECK(decoded("(dp0\nS'a'\nI1\ns."s) == "{'a': 1}");
    CHECK(decoded("(S'a'\nI1\nd."s) == "{'a': 1}");
  }
  SUBCASE("tuples of every length") {
    CHECK(decoded(")."s) == "()");
    CHECK(decoded("K\x01\x85."s) == "(1)");
    CHECK(decoded("K\x01K\x02\x86."s) == "(1, 2)");
    CHECK(decoded("K\x01K\x02K\x03\x87."s) == "(1, 2, 3)");
    CHECK(decoded("(K\x01K\x02K\x03K\x04t."s) == "(1, 2, 3, 4)");
  }
  SUBCASE("sets read as lists") {
    CHECK(decoded("\x8F(K\x01K\x02\x90."s) == "[1, 2]");
    CHECK(decoded("(K\x01K\x02\x91."s) == "(1, 2)");
  }
  SUBCASE("POP, POP_MARK and DUP move values") {
    CHECK(decoded("K\x01K\x02"
                  "0."s) == "1");
    CHECK(decoded("K\x01(K\x02K\x03"
                  "1."s) == "1");
    CHECK(decoded("](K\x01"
                  "2e."s) == "[1, 1]");
  }
  SUBCASE("a key that comes twice: the last value counts") {
    const std::string bytes = "}(\x8C\x01"
                              "aK\x01\x8C\x01"
                              "aK\x02u."s;
    const pickle::Decoded result = pickle::decode(bytes);
    CHECK(result.document.as_signed(result.document.get(result.document.root, "a")) == 2);
  }
}

TEST_CASE("pickle memo") {
  SUBCASE("MEMOIZE numbers by itself, PUT by its argument") {
    CHECK(decoded("\x8C\x01"
                  "a\x94"
                  "0h\x00."s) == "'a'");
    CHECK(decoded("\x8C\x01"
                  "aq\x05"
                  "0h\x05."s) == "'a'");
    CHECK(decoded("\x8C\x01"
                  "ar\x05\x00\x00\x00"
                  "0j\x05\x00\x00\x00."s) == "'a'");
    CHECK(decoded("S'a'\np7\n0g7\n."s) == "'a'");
  }
  SUBCASE("a very large number costs no more than a small one") {
    CHECK(decoded("\x8C\x01"
                  "ar\xFF\xFF\xFF\xFF"
                  "0j\xFF\xFF\xFF\xFF."s) == "'a'");
    CHECK(decoded("S'a'\np18446744073709551615\n0g18446744073709551615\n."s) == "'a'");
  }
  SUBCASE("containers are references: what is memoized empty is seen filled") {
    // Python's writer: x = [1]; [x, x]
    CHECK(decoded("]\x94(]\x94K\x01"
                  "ah\x01"
                  "e."s) == "[[1], [1]]");
    // The C++ writer memoizes after filling.
    CHECK(decoded("](](K\x01"
                  "eq\x00h\x00"
                  "e."s) == "[[1], [1]]");
  }
  SUBCASE("a list may hold itself") {
    const pickle::Decoded result = pickle::decode("]\x94h\x00"
                                                  "a."s);
    result.document.for_each(result.document.root, [&](Value item) {
      CHECK(item == result.document.root);
      return true;
    });
  }
  SUBCASE("getting what was never put is an error") {
    CHECK_THROWS_WITH_AS(decoded("h\x03."s), "byte 0: expected a memo slot that was filled before, found slot 3",
                         ParseError);
  }
}

TEST_CASE("pickle frames and protocols") {
  SUBCASE("a frame is only a hint, but must fit into the file") {
    CHECK(decoded("\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00K\x01."s) == "1");
    CHECK_THROWS_AS(decoded("\x80\x04\x95\xFF\x00\x00\x00\x00\x00\x00\x00K\x01."s), ParseError);
  }
  SUBCASE("protocols 0 to 5 are read, newer ones refused") {
    CHECK(pickle::decode("\x80\x05N."s).protocol == 5);
    CHECK(pickle::decode("N."s).protocol == 0);
    CHECK_THROWS_WITH_AS(decoded("\x80\x06N."s), "byte 0: expected a pickle protocol from 0 to 5, found protocol 6",
                         ParseError);
  }
  SUBCASE("the end is where STOP is") {
    CHECK(pickle::decode("N.rest"s).end_offset == 2);
  }
}
