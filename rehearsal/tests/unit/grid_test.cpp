#include "memviz/error.hpp"
#include "run/grid.hpp"
#include "run/search.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::rehearse;

namespace {

using Point = std::vector<std::string>;
using Points = std::vector<Point>;

Axis number_axis(std::uint64_t low, std::uint64_t high) {
  return {.kind = AxisKind::number, .name = "BATCH", .low = low, .high = high};
}

Axis doubled_axis(const std::string& name, std::uint64_t low, std::uint64_t high) {
  Axis axis{.kind = AxisKind::number, .name = name, .low = low, .high = high};
  double_numbers(axis);
  return axis;
}

Axis values_axis(AxisKind kind, std::vector<std::string> list) {
  return {.kind = kind, .name = "TP", .values = std::move(list)};
}

/// Returns the points that were run, of which no two are the same.
Points points_run_by(const std::vector<Axis>& axes, const RunPoint& run) {
  Points points;
  const RunPoint run_once = [&](const Point& point) {
    CHECK(std::find(points.begin(), points.end(), point) == points.end());
    points.push_back(point);
    return run(point);
  };
  run_grid(axes, [&] { return run_once; });
  return points;
}

/// Returns the same for a program that surely fits, or does not.
Points points_of_grid(const std::vector<Axis>& axes, const std::function<std::optional<bool>(const Point&)>& fits) {
  return points_run_by(axes, [&](const Point& point) -> std::optional<Fit> {
    const auto fit = fits(point);
    return fit ? std::optional(*fit ? Fit::surely : Fit::no) : std::nullopt;
  });
}

std::uint64_t last_number(const Point& point) {
  return std::stoull(point.back());
}

} // namespace

TEST_CASE("a search finds the largest number that fits in a few runs") {
  for (std::uint64_t most = 0; most <= 70; ++most) {
    std::uint64_t largest = 0;
    const Points points = points_of_grid({number_axis(1, 64)}, [&](const Point& point) {
      const bool fits = last_number(point) <= most;
      if (fits) largest = std::max(largest, last_number(point));
      return fits;
    });
    CHECK(points.size() <= 8);
    CHECK(largest == std::min<std::uint64_t>(most, 64));
  }
  const auto all = [](const Point&) { return true; };
  CHECK(points_of_grid({number_axis(5, 5)}, all) == Points{{"5"}});
  CHECK(points_of_grid({number_axis(0, 1)}, [](const Point& point) { return point.front() == "0"; }) ==
        Points{{"0"}, {"1"}});
  const std::uint64_t huge = ~std::uint64_t{0};
  CHECK(points_of_grid({number_axis(0, huge)}, [&](const Point& point) { return last_number(point) < huge; }).size() <=
        66);
}

TEST_CASE("where the largest number fits possibly, the largest that surely fits is searched, too") {
  for (std::uint64_t sure = 0; sure <= 64; ++sure)
    for (const std::uint64_t most : {sure, sure + 1, sure + 9}) {
      std::uint64_t largest = 0;
      const Points points = points_run_by({number_axis(1, 64)}, [&](const Point& point) {
        const std::uint64_t number = last_number(point);
        if (number <= sure) largest = std::max(largest, number);
        return number <= sure ? Fit::surely : number <= most ? Fit::possibly : Fit::no;
      });
      CHECK(largest == sure);
      CHECK(points.size() <= 14);
    }
  // Nothing more is run where even the lowest is not sure.
  CHECK(points_run_by({number_axis(1, 64)}, [](const Point&) { return Fit::possibly; }) == Points{{"1"}, {"64"}});
}

TEST_CASE("a number without an answer ends its search") {
  const Points points = points_of_grid({number_axis(1, 64)}, [](const Point& point) {
    return last_number(point) == 64  ? std::optional(false)
           : last_number(point) == 1 ? std::optional(true)
                                     : std::nullopt;
  });
  CHECK(points == Points{{"1"}, {"64"}, {"32"}});
}

TEST_CASE("a search goes on where the program refuses its lowest numbers") {
  for (std::uint64_t least = 2; least <= 32; ++least)
    for (std::uint64_t most = 0; most <= 33; ++most) {
      std::uint64_t largest = 0;
      points_of_grid({number_axis(1, 32)}, [&](const Point& point) -> std::optional<bool> {
        const std::uint64_t number = last_number(point);
        if (number <= most && number >= least) largest = std::max(largest, number);
        return number >= least ? std::optional(number <= most) : std::nullopt;
      });
      CHECK(largest == (most < least ? 0 : std::min<std::uint64_t>(most, 32)));
    }
  // A program that refuses the highest as well refuses all.
  CHECK(points_of_grid({number_axis(1, 64)}, [](const Point&) { return std::nullopt; }) == Points{{"1"}, {"64"}});
}

TEST_CASE("without axes the program runs once") {
  CHECK(points_of_grid({}, [](const Point&) { return false; }) == Points{{}});
}

TEST_CASE("values are combined in order, the last fastest, whatever fits") {
  const std::vector<Axis> axes{values_axis(AxisKind::gpu, {"h100", "l4"}), values_axis(AxisKind::values, {"1", "2"}),
                               values_axis(AxisKind::setting, {"as it is", "A=1"})};
  for (const std::optional<bool> fits : {std::optional(true), std::optional(false), std::optional<bool>()})
    CHECK(points_of_grid(axes, [&](const Point&) { return fits; }) == Points{{"h100", "1", "as it is"},
                                                                             {"h100", "1", "A=1"},
                                                                             {"h100", "2", "as it is"},
                                                                             {"h100", "2", "A=1"},
                                                                             {"l4", "1", "as it is"},
                                                                             {"l4", "1", "A=1"},
                                                                             {"l4", "2", "as it is"},
                                                                             {"l4", "2", "A=1"}});
}

TEST_CASE("a number is searched anew for each value, which assumes nothing of the others") {
  const std::vector<Axis> axes{values_axis(AxisKind::values, {"8", "1", "2"}), number_axis(1, 4)};
  const Points points =
      points_of_grid(axes, [](const Point& point) { return point[0] == "2" && last_number(point) <= 4; });
  CHECK(points == Points{{"8", "1"}, {"1", "1"}, {"2", "1"}, {"2", "4"}});
}

TEST_CASE("larger doubled numbers begin with the largest number of smaller ones, and end where none fits") {
  const std::vector<Axis> axes{doubled_axis("LEN", 1, 8), number_axis(1, 16)};
  const auto product_up_to = [](std::uint64_t most) {
    return [most](const Point& point) { return std::stoull(point[0]) * last_number(point) <= most; };
  };
  CHECK(points_of_grid(axes, product_up_to(3)) == Points{{"1", "1"},
                                                         {"1", "16"},
                                                         {"1", "8"},
                                                         {"1", "4"},
                                                         {"1", "2"},
                                                         {"1", "3"},
                                                         {"2", "1"},
                                                         {"2", "3"},
                                                         {"2", "2"},
                                                         {"4", "1"}});
  SUBCASE("for each value of the other axes") {
    const std::vector<Axis> more{values_axis(AxisKind::gpu, {"h100", "l4"}), doubled_axis("LEN", 1, 2),
                                 number_axis(1, 2)};
    CHECK(points_of_grid(more, [](const Point& point) { return point[0] == "l4"; }) ==
          Points{{"h100", "1", "1"}, {"l4", "1", "1"}, {"l4", "1", "2"}, {"l4", "2", "1"}, {"l4", "2", "2"}});
  }
  SUBCASE("on two axes, where both are larger") {
    const std::vector<Axis> two{doubled_axis("A", 1, 2), doubled_axis("B", 1, 2), number_axis(1, 4)};
    // Nothing fits at A=1, B=2, so A=2, B=2 is left out.
    const Points points = points_of_grid(two, [](const Point& point) { return point[1] == "1" || point[0] != "1"; });
    CHECK(std::none_of(points.begin(), points.end(),
                       [](const Point& point) { return point[0] == "2" && point[1] == "2"; }));
    CHECK(points.size() == 5);
  }
  SUBCASE("nor after one without an answer") {
    const Points points = points_of_grid(axes, [](const Point&) { return std::nullopt; });
    CHECK(points == Points{{"1", "1"}, {"1", "16"}});
  }
}

TEST_CASE("a second range of --search takes its lowest number, doubled, and its highest") {
  CHECK(doubled_axis("LEN", 1024, 8192).values == Point{"1024", "2048", "4096", "8192"});
  CHECK(doubled_axis("LEN", 3, 10).values == Point{"3", "6", "10"});
  CHECK(doubled_axis("LEN", 5, 5).values == Point{"5"});
  CHECK(doubled_axis("LEN", 0, 2).values == Point{"1", "2"});
  CHECK(doubled_axis("LEN", 0, 0).values == Point{"0"});
  CHECK(doubled_axis("LEN", 1, ~std::uint64_t{0}).values.size() == 65);
}

TEST_CASE("what --search takes: a range of whole numbers, or values") {
  const Axis range = parse_search("BATCH=1..256");
  CHECK(range.kind == AxisKind::number);
  CHECK(range.name == "BATCH");
  CHECK(range.low == 1);
  CHECK(range.high == 256);
  const Axis list = parse_search("AC=none,1.5,a=../b");
  CHECK(list.kind == AxisKind::values);
  CHECK(list.name == "AC");
  CHECK(list.values == Point{"none", "1.5", "a=../b"});
  CHECK(parse_search("PP=1").kind == AxisKind::values);
  CHECK(parse_search("PP=1").values == Point{"1"});
  CHECK(parse_search("SHIFT=-1").values == Point{"-1"});
  for (const char* fault : {"BATCH=1...2", "BATCH=1-256", "BATCH=1:256"})
    CHECK_THROWS_AS(static_cast<void>(parse_search(fault)), UsageError);
  for (const char* wrong :
       {"", "BATCH", "BATCH=", "BATCH=1..", "BATCH=..2", "BATCH=2..1", "1..2", "=1..2", "B-S=1..2", "BATCH=1.5..2",
        "BATCH=-1..2", "BATCH=1..99999999999999999999", "A=1,", "A=,1", "A=1,,2", "A=1..2,4", "A=1,2,1"})
    CHECK_THROWS_AS(static_cast<void>(parse_search(wrong)), UsageError);
}

TEST_CASE("values replace their names in braces in the words, and the first one braces alone") {
  const Point words{"train.py", "--batch={}", "{BATCH}x{}", "{OTHER}", "{", "}{BATCH"};
  CHECK(with_values(words, {{"BATCH", "12"}}) == Point{"train.py", "--batch=12", "12x12", "{OTHER}", "{", "}{BATCH"});
  CHECK(with_values({"{A}{B}", "{\"k\": {A}}"}, {{"A", "{B}"}, {"B", "{}"}}) == Point{"{B}{}", "{\"k\": {B}}"});
  CHECK(with_values({"{}"}, {}) == Point{"{}"});
}

TEST_CASE("lanes at once run the points that they run one after the other") {
  const std::vector<Axis> axes{values_axis(AxisKind::gpu, {"large", "small"}), doubled_axis("LEN", 1, 8),
                               values_axis(AxisKind::values, {"1", "2", "3"}), number_axis(1, 40)};
  const auto points_at = [&](std::size_t jobs) {
    std::mutex mutex;
    Points points;
    const auto start = [&] {
      return RunPoint([&](const Point& point) {
        const std::scoped_lock lock(mutex);
        points.push_back(point);
        const std::uint64_t bytes = std::stoull(point[1]) * std::stoull(point[2]) * last_number(point);
        return std::optional(bytes <= (point[0] == "large" ? 60U : 20U) ? Fit::surely : Fit::no);
      });
    };
    run_grid(axes, start, jobs);
    std::sort(points.begin(), points.end());
    return points;
  };
  const Points alone = points_at(1);
  CHECK(alone.size() > 60);
  for (const std::size_t jobs : {std::size_t{2}, std::size_t{3}, std::size_t{16}})
    CHECK(points_at(jobs) == alone);
}

TEST_CASE("an exception of one lane ends the others before their next one, and is thrown") {
  std::atomic<int> runs = 0;
  const auto start = [&] {
    return RunPoint([&](const Point&) -> std::optional<Fit> {
      ++runs;
      throw Error("no such program");
    });
  };
  Axis axis = values_axis(AxisKind::values, {});
  for (int value = 0; value < 100; ++value)
    axis.values.push_back(std::to_string(value));
  CHECK_THROWS_WITH_AS(run_grid({axis}, start, 3), "no such program", Error);
  CHECK(runs <= 3);
}
