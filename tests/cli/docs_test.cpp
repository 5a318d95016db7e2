#include "support/files.hpp"
#include "support/picture_words.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz::test;

namespace {

const std::string kSource = MEMVIZ_SOURCE_DIR;

void check_documented(const std::string& name, std::vector<std::string> command) {
  constexpr std::size_t kMostLines = 12;
  const TemporaryFolder folder;
  const std::string drawn = folder / name;
  command.insert(command.end(), {"--quiet", "-o", drawn});
  REQUIRE(run(command).exit_code == 0);
  const std::string documented = kSource + "/docs/" + name;
  if (std::getenv("MEMVIZ_BLESS") != nullptr) write_bytes(documented, read_bytes(drawn));
  const std::vector<std::string> lines = differences(read_bytes(documented), read_bytes(drawn));
  std::string shown;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    shown += fmt::format("\n{}: {}", name, lines[i]);
  CHECK_MESSAGE(lines.empty(), lines.size(), " differences; MEMVIZ_BLESS=1 draws it anew", shown);
}

/// Returns `text` with the first `old` in it, which must exist, replaced.
std::string replaced(std::string text, std::string_view old, std::string_view by) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

/// Returns `text` without the part from `begin` to `end`.
std::string cut(std::string text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find(end, from);
  REQUIRE(to != std::string::npos);
  return text.erase(from, to + end.size() - from);
}

} // namespace

// The pictures of the README have the text of this version of memviz.
TEST_CASE("the pictures in docs/ say what the commands draw today") {
  const std::string testdata = kSource + "/testdata/";
  check_documented("mem.svg", {"flame", testdata + "training_step.pickle"});
  check_documented("segments.svg", {"flame", "--view", "segments", testdata + "cases/split_free_blocks.pickle"});
  check_documented("timeline.svg", {"timeline", testdata + "training_step.pickle"});
  check_documented("state.svg", {"state", "--at", "peak", testdata + "training_step.pickle"});
  check_documented("flops.svg", {"flops", testdata + "flops/2.15/nanogpt_table.pt2"});
  check_documented("explain.svg", {"explain", testdata + "cases/split_free_blocks.pickle"});
  check_documented("diff.svg", {"compare", testdata + "before.pickle", testdata + "after.pickle", "--at", "end"});
}

TEST_CASE("a picture that says something else than the documented one is distinguished from it") {
  const std::string svg =
      R"(<svg xmlns="http://www.w3.org/2000/svg" aria-label="GPU 0: 3 GiB"><style>a{}</style>)"
      R"(<title>GPU 0: 3 GiB</title><rect width="900" height="9"/><g data-flow="words">)"
      R"(<text class="headline" x="24">GPU 0</text><text class="headline" x="24">is full</text></g>)"
      R"(<text class="figure " x="3">3 GiB</text><g class="row"><text>1.5 GiB</text></g>)"
      R"(<g id="graph"><g class="user"><title>train</title><rect x="1" width="80"/></g>)"
      R"(<g class="torch"><title>linear</title><rect x="9" width="7"/><text>lin</text></g></g>)"
      R"(<g><path d="M1 2"><title>a band</title></path></g><script>f()</script></svg>)";
  using Lines = std::vector<std::string>;
  const auto against = [&](const std::string& other) { return differences(svg, other); };
  CHECK(against(svg) == Lines());
  CHECK(against(replaced(svg, "is full", "is empty")) == Lines{"headline was 'GPU 0 is full', is 'GPU 0 is empty'"});
  CHECK(against(replaced(svg, ">3 GiB<", ">4 GiB<")) == Lines{"figure was '3 GiB', is '4 GiB'"});
  CHECK(against(replaced(svg, ">GPU 0: 3", ">GPU 0: 4")) == Lines{"title was 'GPU 0: 3 GiB', is 'GPU 0: 4 GiB'"});
  CHECK(against(replaced(svg, "\"GPU 0: 3", "\"GPU 0: 4")) == Lines{"title was 'GPU 0: 3 GiB', is 'GPU 0: 4 GiB'"});
  CHECK(against(replaced(svg, "1.5", "1.6")) == Lines{"row was '1.5 GiB', is '1.6 GiB'"});
  CHECK(against(replaced(svg, ">lin<", ">li<")) == Lines{"label was 'lin', is 'li'"});
  CHECK(against(replaced(svg, "a band", "the band")) == Lines{"box was 'a band', is 'the band'"});
  CHECK(against(replaced(svg, "\"80\"", "\"90\"")) == Lines{"box was 'train', 80.0 px wide, is 'train', 90.0 px wide"});
  CHECK(against(cut(svg, "<g class=\"user\">", "</g>")) == Lines{"box 'train', 80.0 px wide was there"});
  CHECK(differences(cut(svg, "<g class=\"row\">", "</g>"), svg) == Lines{"row '1.5 GiB' is there"});

  CHECK(against(replaced(svg, "f()", "g()")) == Lines());
  CHECK(against(replaced(svg, "a{}", "b{}")) == Lines());
  CHECK(against(replaced(svg, "x=\"9\"", "x=\"10\"")) == Lines());
  CHECK(against(replaced(svg, "\"80\"", "\"80.3\"")) == Lines());
}

TEST_CASE("of each documented picture a changed word, a changed number and a missing box are found") {
  const std::string script = "<script><![CDATA[";
  for (const char* name : {"mem", "segments", "timeline", "state", "explain", "diff"}) {
    CAPTURE(name);
    const std::string svg = read_bytes(kSource + "/docs/" + name + ".svg");
    const auto count = [&](const std::string& other) { return differences(svg, other).size(); };
    CHECK(count(svg) == 0);
    CHECK(count(replaced(svg, "<text class=\"headline\"", "<text class=\"answer\"")) == 1);
    CHECK(count(replaced(svg, " MiB</text>", "0 MiB</text>")) == 1);
    const std::size_t box = svg.rfind("<rect ");
    CHECK(count(svg.substr(0, box) + cut(svg.substr(box), "<rect ", "/>")) > 0);
    CHECK(count(replaced(svg, script, script + "later();")) == 0);
    CHECK(count(replaced(svg, "font-size", "font-weight")) == 0);
  }
}
