#include "engine/request.hpp"

#include "answers/drawing_options.hpp"
#include "memviz/error.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>

namespace memviz::view {

TEST_CASE("a request is a JSON object") {
  for (const std::string text : {"", "{", "[]", "3", "null", "{} {}", "\"a\"", "{\"a\": \"\xff\"}"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(PageRequest{text}, UsageError);
  }
  CHECK_THROWS_AS(PageRequest(std::string(1'000'000, '[')), UsageError);
  CHECK_NOTHROW(PageRequest("{}"));
}

TEST_CASE("members of a request that are absent have a default") {
  const PageRequest request("{}");
  CHECK(request.text("at").empty());
  CHECK(request.text("at", "auto") == "auto");
  CHECK(request.number("state", 7, 100) == 7);
  CHECK(request.number("state", 7, 5) == 5);
  CHECK_FALSE(request.flag("upward"));
  CHECK_FALSE(request.device());
  CHECK(request.window(9).first == 0);
  CHECK(request.window(9).last == 9);
}

TEST_CASE("members of a request have a type") {
  for (const std::string text : {R"({"a": null})", R"({"a": []})", R"({"a": {}})", R"({"a": -1})", R"({"a": 0.5})",
                                 R"({"a": 1e300})", R"({"a": 18446744073709551616})"}) {
    CAPTURE(text);
    const PageRequest request(text);
    CHECK_THROWS_AS(static_cast<void>(request.text("a")), UsageError);
    CHECK_THROWS_AS(static_cast<void>(request.number("a", 0, 10)), UsageError);
    CHECK_THROWS_AS(static_cast<void>(request.flag("a")), UsageError);
  }
  CHECK_THROWS_AS(static_cast<void>(PageRequest(R"({"a": true})").text("a")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(PageRequest(R"({"a": "1"})").number("a", 0, 10)), UsageError);
  CHECK_THROWS_AS(static_cast<void>(PageRequest(R"({"a": 1})").flag("a")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(PageRequest(R"({"device": "0"})").device()), UsageError);
}

TEST_CASE("numbers of a request end at the most that there is") {
  const PageRequest request(R"({"state": 18446744073709551615, "first": 8, "last": 4, "device": 4294967296})");
  CHECK(request.number("state", 0, 10) == 10);
  CHECK(request.window(9).first == 4);
  CHECK(request.window(9).last == 4);
  CHECK(request.window(2).first == 2);
  CHECK(request.device() == DeviceId{std::numeric_limits<std::uint32_t>::max()});
}

TEST_CASE("members of a request are options, by their names and with their words") {
  const PageRequest request(
      R"({"color": "kind", "min_percent": 2.5, "max_size": 40000, "no_fold": true, "upward": false})");
  OptionList<DrawingChoice> options = flame_drawing_options();
  options.push_back(color_option("origin"));
  const auto drawing = request.filled(options);
  CHECK(drawing.color == ColorBy::kind);
  CHECK(drawing.min_percent == 2.5);
  REQUIRE(drawing.max_size);
  CHECK(drawing.max_size->bytes == 40000);
  CHECK(drawing.is_unfolded);
  CHECK_FALSE(drawing.is_upward);
  for (const std::string text : {R"({"color": "red"})", R"({"color": 1})", R"({"color": true})", R"({"max_size": -1})",
                                 R"({"max_size": null})", R"({"min_percent": 1e300})", R"({"no_fold": "yes"})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(PageRequest(text).filled(options)), UsageError);
  }
}

} // namespace memviz::view
