#include "program/program_fields.hpp"

#include "json/json_reader.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

using namespace memviz;

TEST_CASE("a union is its first member that has a value") {
  const auto chosen = [](std::string_view text) {
    const Document document = json::read(text);
    const Field given{document.root};
    return std::string(program::choice_of(document, given).first);
  };
  CHECK(chosen(R"({"as_none": null, "as_tensor": {"name": "x"}})") == "as_tensor");
  CHECK(chosen(R"({"as_int": 3, "as_float": 4.5})") == "as_int");
  CHECK(chosen(R"({"as_none": null})").empty());
  CHECK(chosen("{}").empty());
}
