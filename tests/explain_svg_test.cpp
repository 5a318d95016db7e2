#include "memviz/svg.hpp"

#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using test::explained;
using test::Explained;

namespace {

std::string drawn(const Explained& found) {
  const ExplainPicture picture{.file = "some.pickle",
                               .state = found.state,
                               .replay = found.replay,
                               .devices = found.devices,
                               .warnings = found.replay.warnings};
  return explain_svg(picture, {});
}

Explained explained_case(const std::string& name) {
  return explained(test::read_file(test::testdata() / "cases" / (name + ".pickle")));
}

/// The widths of the bars of the first group of this class, wherever it stands.
double width_of(const pugi::xml_document& document, const std::string& title_start) {
  for (const auto& node : document.select_nodes("//g[title]")) {
    const std::string title = node.node().child_value("title");
    if (title.starts_with(title_start)) return node.node().child("rect").attribute("width").as_double();
  }
  FAIL("no bar titled ", title_start);
  return 0;
}

} // namespace

TEST_CASE("explain_svg tells the story without scripts, the same bytes on every run") {
  const Explained found = explained_case("side_stream_full");
  const std::string svg = drawn(found);
  test::check_svg(svg);
  CHECK(svg == drawn(found));
  CHECK(svg.find("<script") == std::string::npos);
  const std::string text = test::visible_text(test::parse_svg(svg));
  CHECK(text.find("GPU 0 ran out of memory: 5.00 GiB asked for, 3.00 GiB free") != std::string::npos);
  CHECK(text.find("Stream: 12.0 GiB of 21.0 GiB reserved is free") != std::string::npos);
  CHECK(text.find("asked for by forward model.py:118") != std::string::npos);
  CHECK(text.find("12.0 GiB free on other streams") != std::string::npos);
}

TEST_CASE("explain_svg draws the request and the holes on one scale") {
  const pugi::xml_document document = test::parse_svg(drawn(explained_case("side_stream_full")));
  const double asked = width_of(document, "asked for: 5.00 GiB");
  CHECK(asked > 100);
  CHECK(width_of(document, "free of the device: 3.00 GiB") == doctest::Approx(asked * 3 / 5).epsilon(0.001));
}

TEST_CASE("explain_svg of every case is sound") {
  for (const auto& path : test::files_in(test::testdata() / "cases", ".pickle")) {
    CAPTURE(path.string());
    test::check_svg(drawn(explained(test::read_file(path))));
  }
}

TEST_CASE("explain_svg of nothing says so") {
  test::SmallSnapshot nothing;
  const std::string svg = drawn(explained(nothing.take()));
  test::check_svg(svg);
  CHECK(test::visible_text(test::parse_svg(svg)).find("Nothing to explain") != std::string::npos);
}
