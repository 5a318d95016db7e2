#include "memviz/svg.hpp"
#include "story/explain_words.hpp"

#include "page/text_fit.hpp"
#include "support/explained.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using test::explained;
using test::Explained;

namespace {

std::string drawn_explanation(const Explained& found) {
  const ExplainPicture picture{.file = "some.pickle", .state = found.state, .devices = found.devices};
  return explain_svg(picture, {});
}

Explained explained_as_it_is(const std::string& name) {
  return explained(test::read_file(test::testdata() / "cases" / (name + ".pickle")));
}

/// The widths of the bars of the first group of this class, wherever it is.
double width_of(const pugi::xml_document& document, const std::string& title_start) {
  for (const auto& node : document.select_nodes("//g[title]")) {
    const std::string title = node.node().child_value("title");
    if (title.starts_with(title_start)) return node.node().child("rect").attribute("width").as_double();
  }
  FAIL("no bar titled ", title_start);
  return 0;
}

} // namespace

TEST_CASE("explain_svg shows the story without scripts, the same bytes on every run") {
  const Explained found = explained_as_it_is("side_stream_full");
  const std::string svg = drawn_explanation(found);
  test::check_svg(svg);
  CHECK(svg == drawn_explanation(found));
  const std::string text = test::visible_text(test::parse_svg(svg));
  CHECK(text.find("GPU 0 ran out of memory: 5.00 GiB asked for, 3.00 GiB free") != std::string::npos);
  CHECK(text.find("Stream: 12.0 GiB of 21.0 GiB reserved is free") != std::string::npos);
  CHECK(text.find("asked for by forward model.py:118") != std::string::npos);
  CHECK(text.find("12.0 GiB free on other streams") != std::string::npos);
}

TEST_CASE("explain_svg shows how well the model follows the recording as a note, not as advice") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 20 << 20).active(20 << 20, 20 << 20);
  made.event(Action::segment_alloc, 0x7f0000000000, 20 << 20).event(Action::alloc, 0x7f0000000000, 20 << 20);
  const Explained found = explained(made.take());
  const std::string text = test::visible_text(test::parse_svg(drawn_explanation(found)));
  const std::size_t note = text.find("The model of the allocator reproduces");
  REQUIRE(note != std::string::npos);
  CHECK(note > text.find("Who holds it"));
  CHECK((text.find("What would hardly help") == std::string::npos) == found.words().does_not_help.empty());
}

TEST_CASE("explain_svg draws the request and the holes on one scale") {
  const pugi::xml_document document = test::parse_svg(drawn_explanation(explained_as_it_is("side_stream_full")));
  const double asked = width_of(document, "asked for: 5.00 GiB");
  CHECK(asked > 100);
  CHECK(width_of(document, "free on the device: 3.00 GiB") == doctest::Approx(asked * 3 / 5).epsilon(0.001));
}

TEST_CASE("explain_svg draws what is taken for a request where that is notably more") {
  const auto takes_more = [](const std::string& name) {
    return drawn_explanation(explained_as_it_is(name)).find("taken at once for it") != std::string::npos;
  };
  CHECK_FALSE(takes_more("huge_request")); // 2 MiB more of 58.1 GiB
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 1 << 30).active(1 << 30, 1 << 30).event(Action::oom, 10 << 20, 4 << 20);
  CHECK(drawn_explanation(explained(made.take())).find("taken at once for it") != std::string::npos);
}

TEST_CASE("explain_svg draws what each device held on one scale") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 20 << 20).active(20 << 20, 20 << 20);
  const std::string one = drawn_explanation(explained(made.take()));
  CHECK(one.find("What each device held") == std::string::npos);
  made = {};
  made.segment(0x7f0000000000, 20 << 20).active(20 << 20, 20 << 20);
  made.segment(0x7f0000000000, 80 << 20, 0, 1).active(60 << 20, 60 << 20).inactive(20 << 20);
  const std::string svg = drawn_explanation(explained(made.take()));
  test::check_svg(svg);
  const std::string text = test::visible_text(test::parse_svg(svg));
  CHECK(text.find("What each device held, each at its own moment") != std::string::npos);
  CHECK(text.find("80.0 MiB, at the end of recording") != std::string::npos);
  CHECK(text.find("GPU 1: 60.0 MiB of 80.0 MiB reserved is in use") < text.find("GPU 0")); // the fullest first
}

TEST_CASE("explain_svg is about a device that holds something") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 80 << 20, 0, 1).active(60 << 20, 60 << 20).inactive(20 << 20);
  made.segment(0x7f1000000000, 20 << 20, 0, 2).active(20 << 20, 20 << 20);
  Explained found = explained(made.take());
  DeviceExplanation nothing;
  nothing.device_state.device = {0};
  found.devices.insert(found.devices.begin(), nothing);
  const std::string text = test::visible_text(test::parse_svg(drawn_explanation(found)));
  CHECK(text.find("GPU 1: 60.0 MiB of 80.0 MiB reserved is in use") != std::string::npos);
  CHECK(text.find("Nothing is reserved on GPU 0.") != std::string::npos);
}

TEST_CASE("explain_svg of every case is sound") {
  for (const auto& path : test::files_in(test::testdata() / "cases", ".pickle")) {
    CAPTURE(path.string());
    test::check_svg(drawn_explanation(explained(test::read_file(path))));
  }
}

TEST_CASE("lists of explain_svg that are side by side have headings that fit") {
  constexpr double kRightMargin = 876;
  std::size_t beside = 0;
  for (const auto& path : test::files_in(test::testdata() / "cases", ".pickle")) {
    CAPTURE(path.string());
    const pugi::xml_document document = test::parse_svg(drawn_explanation(explained(test::read_file(path))));
    const pugi::xpath_node_set headings = document.select_nodes("//text[@data-part='heading']");
    for (std::size_t i = 0; i < headings.size(); ++i) {
      const pugi::xml_node heading = headings[i].node();
      const bool is_left = i + 1 < headings.size();
      const double right = is_left ? headings[i + 1].node().attribute("x").as_double() : kRightMargin;
      beside += is_left ? 1 : 0;
      const std::string text = heading.child_value();
      CHECK_MESSAGE(heading.attribute("x").as_double() + render::sans_width(text, 15) <= right, text);
    }
  }
  CHECK(beside > 0);
}

TEST_CASE("explain_svg of nothing says so") {
  test::SmallSnapshot nothing;
  const std::string svg = drawn_explanation(explained(nothing.take()));
  test::check_svg(svg);
  CHECK(test::visible_text(test::parse_svg(svg)).find("Nothing to explain") != std::string::npos);
}

TEST_CASE("rows of explain_svg that would look alike have the folders that distinguish them") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 1 << 20)
      .active(1 << 19, 1 << 19, made.stack({"/app/a/block.py:7:forward"}))
      .active(1 << 19, 1 << 19, made.stack({"/app/b/block.py:7:forward"}));
  const std::string text = test::visible_text(test::parse_svg(drawn_explanation(explained(made.take()))));
  CHECK(text.find("forward a/block.py:7") != std::string::npos);
  CHECK(text.find("forward b/block.py:7") != std::string::npos);
}
