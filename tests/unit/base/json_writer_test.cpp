#include "base/json_writer.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace memviz {

namespace {

std::string text_of(std::string_view text, JsonEscapes escapes = JsonEscapes::usual) {
  std::string out;
  append_json_text(out, text, escapes);
  return out;
}

/// An object with an array of two objects, an empty one of each, and a text.
std::string example(JsonLayout layout) {
  std::string out;
  JsonWriter json(out, layout);
  json.begin_object().member("a", 1).key("list").begin_array();
  json.begin_object().member("b", true).end_object();
  json.begin_object().end_object();
  json.end_array().key("none").begin_array().end_array().member("text", "x").end_object();
  CHECK(json.is_done());
  return out;
}

/// Every value that there is, as lines.
std::string values() {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(-1).value(std::numeric_limits<std::uint64_t>::max()).value(true).value(nullptr);
  json.value(std::optional<int>()).value(std::optional<std::string>("x")).value(0.25).value(5.0).value(1e300);
  json.value(std::numeric_limits<double>::infinity()).value(std::vector<std::string>{"a", "b"}).end_array();
  return out;
}

} // namespace

TEST_CASE("each layout says the same") {
  CHECK(example(JsonLayout::compact) == R"({"a":1,"list":[{"b":true},{}],"none":[],"text":"x"})");
  CHECK(example(JsonLayout::spaced) == R"({"a": 1, "list": [{"b": true}, {}], "none": [], "text": "x"})");
  CHECK(example(JsonLayout::lines) == "{\n  \"a\": 1,\n  \"list\": [\n    {\n      \"b\": true\n    },\n    {}\n  ],\n"
                                      "  \"none\": [],\n  \"text\": \"x\"\n}");
  for (const JsonLayout layout : {JsonLayout::compact, JsonLayout::spaced, JsonLayout::rows, JsonLayout::hanging})
    CHECK(nlohmann::json::parse(example(layout)) == nlohmann::json::parse(example(JsonLayout::lines)));
}

TEST_CASE("a container may be laid out otherwise than what it is in") {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("rows").begin_array(JsonLayout::rows);
  json.begin_object(JsonLayout::compact).member("a", 1).member("b", 2).set_layout(JsonLayout::spaced);
  json.key("c").begin_array(JsonLayout::hanging).value(1).value(2).end_array().end_object().end_array();
  json.key("none").begin_array(JsonLayout::rows).end_array().member("d", 4).end_object();
  CHECK(out == "{\n  \"rows\": [\n    {\"a\":1,\"b\":2, \"c\": [\n      1,\n      2]}\n  ],\n  \"none\": [\n  ],\n"
               "  \"d\": 4\n}");
}

TEST_CASE("values are those that another writer of JSON makes") {
  nlohmann::ordered_json wanted{
      -1,    std::numeric_limits<std::uint64_t>::max(), true,      nullptr, nullptr, "x", 0.25, 5.0,
      1e300, std::numeric_limits<double>::infinity(),   {"a", "b"}};
  CHECK(values() == wanted.dump(2));
}

TEST_CASE("texts are escaped as another writer of JSON does, and what is unsafe as well") {
  for (const std::string text : {"plain", "", "a\"b\\c/d", "größe 模型 🙂", "\b\f\n\r\t", "\x01\x1f"})
    CHECK(text_of(text) == nlohmann::json(text).dump());
  CHECK(text_of("\x7f\u009b\u2028\u202e\u200b") == R"("\u007f\u009b\u2028\u202e\u200b")");
  CHECK(text_of("\U000E0041") == R"("\udb40\udc41")");
  CHECK(text_of("a ##vso[x]") == R"("a #\u0023vso[x]")");
  CHECK(text_of("a\xff z") == "\"a\uFFFD z\"");
  CHECK(text_of("größe🙂", JsonEscapes::ascii) == R"("gr\u00f6\u00dfe\ud83d\ude42")");
}

TEST_CASE("in markup no text ends what the JSON is in") {
  const std::string hostile = "</script>]]><!--&amp;";
  const std::string text = text_of(hostile, JsonEscapes::markup);
  CHECK(text.find_first_of("<>&") == std::string::npos);
  CHECK(nlohmann::json::parse(text).get<std::string>() == hostile);
}

TEST_CASE("a sink gets the text piece by piece, the end stays with the writer's text") {
  std::string whole;
  std::size_t pieces = 0;
  std::string rest;
  const std::string member(1000, 'x');
  JsonWriter json(
      rest,
      [&](std::string_view piece) {
        whole += piece;
        ++pieces;
      },
      JsonLayout::compact);
  json.begin_array();
  for (int i = 0; i < 500; ++i)
    json.value(member);
  json.end_array();
  CHECK(pieces > 3);
  CHECK(json.written_bytes() == whole.size() + rest.size());
  CHECK(nlohmann::json::parse(whole + rest).size() == 500);
  CHECK(rest.size() < (std::size_t{1} << 17U));
}

TEST_CASE("what would be no JSON is refused") {
  std::string out;
  JsonWriter json(out);
  CHECK_THROWS_AS(json.key("a"), std::logic_error);
  CHECK_THROWS_AS(json.end_object(), std::logic_error);
  json.begin_object();
  CHECK_THROWS_AS(json.value(1), std::logic_error);
  CHECK_THROWS_AS(json.end_array(), std::logic_error);
  CHECK_THROWS_AS(json.set_layout(JsonLayout::compact), std::logic_error);
  json.key("a");
  CHECK_THROWS_AS(json.key("b"), std::logic_error);
  CHECK_THROWS_AS(json.end_object(), std::logic_error);
  json.begin_array();
  CHECK_THROWS_AS(json.key("c"), std::logic_error);
  CHECK_FALSE(json.is_done());
  json.end_array().end_object();
  CHECK_THROWS_AS(json.begin_array(), std::logic_error);
  CHECK(json_document([](JsonWriter& whole) { whole.value(1); }) == "1\n");
  CHECK_THROWS_AS((void)json_document([](JsonWriter& half) { half.begin_array(); }), std::logic_error);
  std::string nested;
  JsonWriter deep(nested, JsonLayout::compact);
  for (int i = 0; i < 16; ++i)
    deep.begin_array();
  CHECK_THROWS_AS(deep.begin_array(), std::logic_error);
  CHECK(nested == std::string(16, '['));
}

TEST_CASE("a command of a log is escaped where it would be obeyed inside of a line") {
  CHECK(text_of("##vso[x]") == "\"#\\u0023vso[x]\"");
  // A quotation mark is before each text, and no text has a line break: no line begins with these.
  CHECK(text_of("::error::x") == "\"::error::x\"");
  CHECK(text_of("a\n::error::x") == "\"a\\n::error::x\"");
}

} // namespace memviz
