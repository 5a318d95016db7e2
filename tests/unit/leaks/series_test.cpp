#include "analysis/steps/series.hpp"

#include <doctest/doctest.h>
#include <limits>

using namespace memviz;

TEST_CASE("drift is the mean change in standard errors, with a discount for few changes") {
  CHECK(drift(Series{0, 1, 3, 4}) == doctest::Approx(4.0 / 3)); // 4/3 of 1/3, and a third of that
  CHECK(drift(Series{4, 3, 1, 0}) == doctest::Approx(-4.0 / 3));
  CHECK(drift(Series{0, 1, 0, 1, 0}) == doctest::Approx(0));
  CHECK(drift(Series{0, 1, 2, 3}) == std::numeric_limits<double>::infinity());
  CHECK(drift(Series{3, 2, 1, 0}) == 0);
  CHECK(drift(Series{7, 7, 7, 7}) == 0);
  CHECK(drift(Series{0, 1, 3}) == 0);
}

TEST_CASE("robust_slope is the median over half the steps") {
  CHECK(robust_slope(Series{0, 2}) == 2);
  CHECK(robust_slope(Series{0, 2, 4, 6}) == 2);
  CHECK(robust_slope(Series{0, 2, 900, 6, 8, 10, 12, 14}) == 2);
  CHECK(robust_slope(Series{0, 2, 4, 10}) == 3);
}

TEST_CASE("start_of_growth is where the flat part ends") {
  CHECK(start_of_growth(Series{5, 5, 5, 5, 5, 5, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13}) == 7);
  CHECK(start_of_growth(Series{5, 6, 7, 8, 9, 10, 11, 12, 13}) == 0);
  CHECK(start_of_growth(Series{5, 5, 5, 5, 5, 5, 5, 5, 5}) == 0);
  CHECK(start_of_growth(Series{5, 5, 5, 6, 7, 8, 9}) == 0);
  CHECK(start_of_growth(Series{5, 5, 5, 6, 7, 8, 9, 10}) == 2);
}

TEST_CASE("without_leaps takes out what is made once and stays") {
  CHECK(without_leaps({0, 1, 2, 3, 103, 104, 105, 106}) == Series{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(without_leaps({0, 1, 2, 3, 103, 4, 5, 6}) == Series{0, 1, 2, 3, 103, 4, 5, 6});
  CHECK(without_leaps({0, 1, 2, 3, 11, 12, 13, 14}) == Series{0, 1, 2, 3, 11, 12, 13, 14});
  CHECK(without_leaps({0, 100, 101, 201, 202, 302, 303, 304, 305}) ==
        Series{0, 100, 101, 201, 202, 302, 303, 304, 305}); // three are not few
  CHECK(without_leaps({0, 0, 0, 100}) == Series{0, 0, 0, 100});
}
