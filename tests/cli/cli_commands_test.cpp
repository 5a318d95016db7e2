#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

using test::contains;
using test::run;
using test::TemporaryFolder;
using test::testdata_file;

namespace {

bool is_svg(const std::string& text) {
  pugi::xml_document document;
  return document.load_string(text.c_str()) && std::string_view(document.document_element().name()) == "svg";
}

} // namespace

TEST_CASE("flame writes the same SVG to a file and to standard output, on every run") {
  const TemporaryFolder folder;
  const auto to_file = run({"flame", testdata_file("training_step"), "-q", "-o", folder / "mem.svg"});
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  CHECK(to_file.err.empty());
  const std::string svg = test::read_bytes(folder / "mem.svg");
  CHECK(is_svg(svg));
  CHECK(run({"flame", testdata_file("training_step"), "-q", "-o", "-"}).out == svg);
}

TEST_CASE("a flame graph names what its stacks are filtered by, and how much matches") {
  const std::string file = testdata_file("training_step");
  const auto found = run({"flame", file, "--focus", "no_such_line", "--hide", "torch", "-o", "-"});
  CHECK(contains(found.out, "focus no_such_line: 0 B of "));
  CHECK(contains(found.out, "frames hidden torch"));
  CHECK(contains(found.err, "--focus matches no stack of what is in use"));
  const auto hidden = run({"flame", file, "--focus", "no_such_line", "--redact", "names", "-o", "-"});
  CHECK(contains(hidden.out, "focus: 0 B of "));
  CHECK_FALSE(contains(hidden.out, "no_such_line"));
  CHECK_FALSE(contains(run({"flame", file, "--focus", ".", "-o", "-"}).err, "--focus matches"));
}

TEST_CASE("flame takes every tree and picture option") {
  const std::vector<std::vector<std::string>> choices{
      {"--view", "memory"},   {"--view", "segments"}, {"--group", "pool,stream,state"},
      {"--frames", "user"},   {"--frames", "python"}, {"--frames", "all"},
      {"--focus", "train"},   {"--hide", "train"},    {"--device", "0"},
      {"--max-size", "300K"}, {"--at", "end"},        {"--at", "auto"},
      {"--upward"},           {"--no-fold"}};
  for (auto words : choices) {
    CAPTURE(words.front());
    words.insert(words.begin(), {"flame", testdata_file("training_step"), "-q", "-o", "-"});
    const auto outcome = run(words);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(is_svg(outcome.out));
  }
}

} // namespace memviz
