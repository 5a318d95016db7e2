#include "page/header.hpp"
#include "page/text_fit.hpp"
#include "support/svg_check.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;
using namespace memviz::render;

namespace {

struct Drawn {
  double height = 0;
  std::vector<std::pair<double, double>> places; ///< of the figures' top left corners
};

Drawn drawn(const std::vector<Figure>& figures, double y) {
  Page page(SvgOptions{}, "");
  Drawn drawn;
  drawn.height = draw_figures(page, y, figures) - y;
  const pugi::xml_document document = test::parse_svg(page.finish(1000));
  for (const pugi::xpath_node item : document.select_nodes("//g[@data-spread]/g"))
    drawn.places.emplace_back(item.node().attribute("data-x").as_double(), item.node().attribute("data-y").as_double());
  return drawn;
}

std::size_t lines_of(const Drawn& drawn) {
  std::set<double> lines;
  for (const auto& [x, y] : drawn.places)
    lines.insert(y);
  return lines.size();
}

} // namespace

TEST_CASE("figures are on one line as long as they fit, and then in columns") {
  const std::vector<Figure> one{{.name = "reserved", .value = std::string(8, '8')}};
  const Drawn single = drawn(one, 100);
  CHECK(single.places == std::vector<std::pair<double, double>>{{kMargin, 100}});
  std::size_t last_lines = 1;
  for (std::size_t count = 2; count < 30; ++count) {
    CAPTURE(count);
    const Drawn all = drawn({count, one.front()}, 100);
    REQUIRE(all.places.size() == count);
    CHECK(all.height == single.height * static_cast<double>(lines_of(all)));
    CHECK(lines_of(all) >= last_lines);
    last_lines = lines_of(all);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(all.places[i].first >= kMargin);
      CHECK(all.places[i].first < kMargin + kContentWidth);
      CHECK(all.places[i].second >= 100);
      CHECK(all.places[i].second < 100 + all.height);
      if (i > 0 && all.places[i].first <= all.places[i - 1].first) {
        CHECK(all.places[i].first == kMargin);
        CHECK(all.places[i].second == all.places[i - 1].second + single.height);
      }
    }
  }
  CHECK(last_lines > 2);
}

TEST_CASE("figures are on one line exactly where there is room") {
  constexpr std::size_t kCount = 7;
  constexpr double kGap = 22;
  std::size_t close = 0;
  for (std::size_t letters = 1; letters < 24; ++letters) {
    const std::string value(letters, 'i');
    CAPTURE(value);
    const double taken = kCount * (sans_width(value, 17, Font::bold) + kGap) - kGap;
    const Drawn all = drawn({kCount, Figure{.name = "", .value = value}}, 0);
    CHECK((lines_of(all) == 1) == (taken <= kContentWidth));
    if (taken <= kContentWidth && taken > kContentWidth - 2 * kGap) ++close;
  }
  CHECK(close > 0);
}
