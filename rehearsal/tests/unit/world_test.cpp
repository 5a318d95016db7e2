#include "run/world.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <tuple>
#include <vector>

using memviz::rehearse::parse_ranks;
using memviz::rehearse::RankSet;
using memviz::rehearse::spread_ranks;
using Ranks = std::vector<std::uint64_t>;

TEST_CASE("the ranks to rehearse are of each stage of a pipeline and of each position in a node") {
  const Ranks ranks = spread_ranks(512, 8, 8);
  CHECK(ranks == Ranks{0, 511, 257, 132, 386, 70, 195, 325});
  for (const std::uint64_t stages : {2U, 4U, 8U}) {
    std::set<std::uint64_t> met;
    for (const std::uint64_t rank : ranks)
      met.insert(rank / (512 / stages));
    CHECK(met.size() == stages);
  }
  std::set<std::uint64_t> positions;
  for (const std::uint64_t rank : ranks)
    positions.insert(rank % 8);
  CHECK(positions.size() == 8);
}

TEST_CASE("pipelines of three stages are met where three divides the world") {
  const Ranks ranks = spread_ranks(96, 8, 5);
  std::set<std::uint64_t> stages;
  for (const std::uint64_t rank : ranks)
    stages.insert(rank / 32);
  CHECK(stages.size() == 3);
}

TEST_CASE("small worlds, and those that are not a multiple of a node, have each rank once") {
  CHECK(spread_ranks(1, 1, 8) == Ranks{0});
  CHECK(spread_ranks(2, 2, 8) == Ranks{0, 1});
  CHECK(spread_ranks(4, 4, 8) == Ranks{0, 3, 2, 1});
  CHECK(spread_ranks(512, 8, 1) == Ranks{0});
  for (std::uint64_t world = 1; world < 50; ++world)
    for (std::uint64_t node = 1; node <= 9; ++node) {
      CAPTURE(world);
      CAPTURE(node);
      const Ranks ranks = spread_ranks(world, node, 20);
      CHECK(ranks.size() == std::min<std::uint64_t>(world, 20));
      CHECK(std::set<std::uint64_t>(ranks.begin(), ranks.end()).size() == ranks.size());
      CHECK(*std::max_element(ranks.begin(), ranks.end()) == world - 1);
    }
}

TEST_CASE("ranks are alone unless they are joined") {
  CHECK(parse_ranks("rank", "0,3..5,6+7,511", 512) == std::vector<RankSet>{{0}, {3}, {4}, {5}, {6, 7}, {511}});
  CHECK(parse_ranks("rank", "8+0+8,1,0+8,1", 16) == std::vector<RankSet>{{0, 8}, {1}});
}

TEST_CASE("ranks that are not a list, or not of the job, are refused") {
  for (const char* text : {"", "x", "1,", ",1", "1..", "5..3", "1+", "+1", "0+1..2", "-1", "16", "0+16", "3..16"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(std::ignore = parse_ranks("rank", text, 16), memviz::UsageError);
  }
}

TEST_CASE("no more ranks meet than run at the same time") {
  CHECK(parse_ranks("rank", "0+1+2+3+4+5+6+7+8+9+10+11+12+13+14+15", 64).front().size() == 16);
  CHECK_THROWS_AS(std::ignore = parse_ranks("rank", "0+1+2+3+4+5+6+7+8+9+10+11+12+13+14+15+16", 64),
                  memviz::UsageError);
}
