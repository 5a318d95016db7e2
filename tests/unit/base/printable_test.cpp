#include "base/printable.hpp"
#include "base/utf8.hpp"

#include <doctest/doctest.h>
#include <string>

namespace memviz {

TEST_CASE("a cut text keeps whole characters only") {
  const std::string text = "a\u00e9\u20ac\U0001F600";
  CHECK(whole_characters(text) == text);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view whole = whole_characters(std::string_view(text).substr(0, size));
    CHECK(is_valid_utf8(whole));
    CHECK(size - whole.size() < 4);
  }
}

TEST_CASE("to_valid_utf8 replaces what is not UTF-8 and nothing else") {
  CHECK(to_valid_utf8("plain € 😀") == "plain € 😀");
  CHECK(is_valid_utf8("plain € 😀"));
  CHECK_FALSE(is_valid_utf8("\xC0\xAF"));         // overlong
  CHECK_FALSE(is_valid_utf8("\xF5\x80\x80\x80")); // beyond U+10FFFF
  CHECK_FALSE(is_valid_utf8("\xE2\x82"));         // cut off
  CHECK(to_valid_utf8("a\xE2\x82z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  CHECK(to_valid_utf8("a\xED\xA0\x80z") == "a\xEF\xBF\xBDz"); // a surrogate is one
}

TEST_CASE("a text is read character by character") {
  for (const char32_t point : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600', U'\U0010FFFD'}) {
    const std::string text = point == U'a'            ? "a"
                             : point == U'\u00e9'     ? "\u00e9"
                             : point == U'\u20ac'     ? "\u20ac"
                             : point == U'\U0001F600' ? "\U0001F600"
                                                      : "\U0010FFFD";
    const CodePoint first = first_code_point(text + "rest");
    CHECK(first.is_valid);
    CHECK(first.value == point);
    CHECK(first.bytes == text.size());
  }
  CHECK_FALSE(first_code_point("\x80").is_valid);
}

TEST_CASE("printable text keeps its lines and its direction") {
  CHECK(printable("a\tb\x1b[2J\x7f") == "a b [2J ");
  CHECK(printable("nac\u202Eabc\u2066\u2069\u200F\u061C.") == "nac abc    .");
  CHECK(printable("\u05D0\u20AC\u2026") == "\u05D0\u20AC\u2026");
  CHECK(printable("a\u200Bb\u2028c\uFEFFd\U000E0041e\u009Bf") == "a b c d e f");
  CHECK(printable("\u06A9\u200C\u0647") == "\u06A9\u200C\u0647"); // Persian joins and parts its letters
  CHECK(printable("\xE2\x80") == "\uFFFD\uFFFD");
}

TEST_CASE("elided keeps both ends of a name and whole characters") {
  CHECK(elided("short", 10) == "short");
  CHECK(elided("0123456789", 8) == "01...789");
  CHECK(elided("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 5) == "\xC3\xA9...\xC3\xA9");
  CHECK(elided("abcdef", 2) == "ab");
}

TEST_CASE("elided counts the columns of a terminal") {
  CHECK(elided("模型模型", 8) == "模型模型");
  CHECK(elided("模型模型模型", 9) == "模...型");      // a half ideograph would be too wide
  CHECK(elided("模型模型模型", 11) == "模型...模型"); // 4 and 4
  CHECK(elided("e\u0301e\u0301e\u0301", 3) == "e\u0301e\u0301e\u0301");
  CHECK(elided("xxxxxxxxe\u0301\u0302", 5) == "x...e\u0301\u0302");
  CHECK(elided("xxxxxxxx\u0301y", 5) == "x...y"); // no mark without its letter
}

TEST_CASE("marks without end take no more room than a name") {
  std::string marks = "a";
  for (int i = 0; i < 1000; ++i)
    marks += "\u0301";
  CHECK(column_count(marks) == 1);
  CHECK(elided(marks, 20).size() < 400);
  CHECK(elided(marks + marks + marks + marks, 20).size() < 400);
}

TEST_CASE("of a long text the ends are shown, whatever its characters are") {
  std::string middle;
  for (int i = 0; i < 3000; ++i)
    middle += "\xE2\x82\xAC"; // three bytes each
  for (const std::string& shift : {std::string(), std::string("x"), std::string("xy")}) {
    CHECK(elided(shift + middle + "end", 9).ends_with("...end"));
    CHECK(column_count(elided(shift + middle + "end", 9)) == 9);
    CHECK(elided("abc" + middle + shift, 9).starts_with("abc..."));
    CHECK(elided("a\tc" + middle + shift, 9).starts_with("a c..."));
  }
  CHECK(elided(std::string(100'000, 'x'), 100'000) == std::string(100'000, 'x'));
  CHECK(elided(std::string(100'001, 'x'), 100'000).size() == 100'000);
  CHECK(column_count(elided(std::string(100'000, '\x80'), 10)) == 10); // no text of a snapshot, but of a command line
}

} // namespace memviz
