#include "pickle_append.hpp"
#include "utf8.hpp"

#include <doctest/doctest.h>
#include <string>

using memviz::capture::append_text;
using memviz::capture::to_utf8;

TEST_CASE("to_utf8: keeps what is valid and replaces each byte of what is not") {
  CHECK(to_utf8("plain") == "plain");
  CHECK(to_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") == "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(to_utf8("a\xFFz") == "a" + bad + "z");
  CHECK(to_utf8("cut \xE2\x82") == "cut " + bad + bad);
  CHECK(to_utf8("\xC0\x80") == bad + bad);                     // overlong
  CHECK(to_utf8("\xE0\x80\x80") == bad + bad + bad);           // overlong
  CHECK(to_utf8("\xED\xA0\x80") == bad + bad + bad);           // a surrogate
  CHECK(to_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad); // beyond U+10FFFF
}

TEST_CASE("append_text: a text that is not UTF-8 would make the whole pickle unreadable for Python") {
  std::string pickle;
  append_text("\xC3\xA9", pickle);
  CHECK(pickle == std::string("X\x02\0\0\0\xC3\xA9", 7));
  pickle.clear();
  append_text("a\xFFz", pickle);
  CHECK(pickle == std::string("X\x05\0\0\0a\xEF\xBF\xBDz", 10));
}
