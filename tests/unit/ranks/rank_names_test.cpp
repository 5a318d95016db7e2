#include "memviz/error.hpp"
#include "memviz/rank_names.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kRanks = 8;

/// The name that the file of a rank at a step has.
using Format = std::function<std::string(std::uint64_t rank, std::uint64_t step)>;

/// A time of its own for each rank and step.
std::string time_of(std::uint64_t rank, std::uint64_t step) {
  return fmt::format("{}.{}", 1764000000 + step * 60, 25 + rank * 37);
}

/// The names of all ranks at two steps, each once, and the ranks that were found for them; empty where one is wrong.
std::vector<RankSource> sources_of(const Format& format) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> ranks;
  for (const std::uint64_t step : {1U, 2U}) {
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      const std::string name = format(rank, step);
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(name);
      ranks.push_back(rank);
    }
  }
  const std::vector<NamedRank> found = ranks_of_names(names, "");
  std::vector<RankSource> sources;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (found[i].rank != ranks[i]) return {};
    sources.push_back(found[i].source);
  }
  return sources;
}

std::vector<NamedRank> found(const std::vector<std::string>& names, const std::string& pattern = "") {
  return ranks_of_names(names, pattern);
}

} // namespace

TEST_CASE("names of snapshots as real programs write them") {
  // Each line: where the format is.
  const std::vector<std::pair<std::string, Format>> formats{
      {"torchtitan, 2026",
       [](auto rank, auto step) {
         return fmt::format("snapshots/step_{:012}/{:06}_step_{}.pickle", step, rank, step);
       }},
      {"torchtitan, torchtune, xtuner",
       [](auto rank, auto step) {
         return fmt::format("snapshots/iteration_{}/rank{}_memory_snapshot.pickle", step, rank);
       }},
      {"Megatron-LM, training.py", [](auto rank, auto) { return fmt::format("snapshot_{}.pickle", rank); }},
      {"Megatron-LM, utils.py", [](auto rank, auto) { return fmt::format("snapshot_oom_rank_{}.pickle", rank); }},
      {"Megatron-LM, model_provider.py",
       [](auto rank, auto) { return fmt::format("oom_rank-{}_snapshot.pickle", rank); }},
      {"Megatron-Bridge", [](auto rank, auto) { return fmt::format("snapshot_oom_rank-{}.pickle", rank); }},
      {"verl",
       [](auto rank, auto step) {
         return fmt::format("20261124-0{}30/snapshot_rank{}_pid{}.pickle", step, rank, 40213 + rank * 17);
       }},
      {"slime",
       [](auto rank, auto step) {
         return fmt::format("memory_snapshot_time{}_rank{}_snapshot.pickle", time_of(rank, step), rank);
       }},
      {"sglang",
       [](auto rank, auto step) { return fmt::format("{}-TP-{}-memory-DECODE.pickle", time_of(rank, step), rank); }},
      {"tnt", [](auto rank, auto step) { return fmt::format("step_{}_rank{}/snapshot.pickle", step, rank); }},
      {"composer",
       [](auto rank, auto step) {
         return fmt::format("run/torch_traces/rank{}.{}.memory_snapshot.pickle", rank, step);
       }},
      {"composer, out of memory", [](auto rank, auto) { return fmt::format("rank{}_oom_snapshot.pickle", rank); }},
      {"lmms-engine", [](auto rank, auto) { return fmt::format("snapshot_stop_step_rank{}.pickle", rank); }},
      {"MindSpeed",
       [](auto rank, auto step) { return fmt::format("snapshots/snapshot_2026-11-24-0{}-30_{}.pickle", step, rank); }},
      {"distributed-training",
       [](auto rank, auto step) { return fmt::format("memory_snapshot_rank{}_step{}.pkl", rank, step); }},
      {"r3", [](auto rank, auto) { return fmt::format("prof_memsnap_r{}.pkl", rank); }},
      {"a name of the run before",
       [](auto rank, auto) { return fmt::format("llama3_8b_v2_rank{}_snapshot.pickle", rank); }},
      {"the rank alone", [](auto rank, auto) { return fmt::format("snapshot_{}.pickle", rank); }},
      {"Lightning", [](auto rank, auto) { return fmt::format("memory_snapshot_rank_{}.pt", rank); }},
      {"memviz rehearse",
       [](auto rank, auto) { return fmt::format("rehearsal-rank{}-{}.pickle", rank, 26749 + rank); }},
      {"memviz run",
       [](auto rank, auto step) {
         return fmt::format("memviz-run/oom-rank{}-{}-20261123-18470{}.pickle", rank, 13377 + rank, step);
       }},
  };
  for (const auto& [where, format] : formats) {
    const auto& writer = where; // what a structured binding names cannot be captured
    CAPTURE(writer);
    CHECK_FALSE(sources_of(format).empty());
  }
}

TEST_CASE("names without a rank have none") {
  SUBCASE("a local rank, whose node has no known place") {
    for (const NamedRank& one :
         found({"node00.cluster_local_rank0_snapshot.pickle", "node00.cluster_local_rank1_snapshot.pickle",
                "node01.cluster_local_rank0_snapshot.pickle", "node01.cluster_local_rank1_snapshot.pickle"}))
      CHECK_FALSE(one.rank);
  }
  SUBCASE("a host and a process: the number of the host is not the rank") {
    for (const NamedRank& one :
         found({"gpu-a-00_52011_Nov_24_01_30_00.pickle", "gpu-a-00_52018_Nov_24_01_30_00.pickle",
                "gpu-a-01_52025_Nov_24_01_30_00.pickle", "gpu-a-01_52032_Nov_24_01_30_00.pickle"}))
      CHECK_FALSE(one.rank);
  }
  SUBCASE("steps") {
    for (const NamedRank& one : found({"snapshot_step_0.pickle", "snapshot_step_5.pickle"}))
      CHECK_FALSE(one.rank);
  }
}

TEST_CASE("names with several numbers for the place of a rank") {
  const auto numbers = [](const std::vector<std::string>& names) {
    std::vector<std::uint64_t> ranks;
    for (const NamedRank& one : found(names))
      ranks.push_back(one.rank.value());
    return ranks;
  };
  SUBCASE("none of which is the rank: their order is") {
    const std::vector<std::string> names{"dp0_tp0.pickle", "dp0_tp1.pickle", "dp1_tp0.pickle", "dp1_tp1.pickle"};
    CHECK(numbers(names) == std::vector<std::uint64_t>{0, 1, 2, 3});
    CHECK(found(names)[3].source == RankSource::coordinates);
    CHECK(numbers({"m/dp_rank_0-pp_rank_1.pickle", "m/dp_rank_2-pp_rank_0.pickle", "m/dp_rank_2-pp_rank_1.pickle"}) ==
          std::vector<std::uint64_t>{0, 1, 2});
    CHECK(numbers({"node0/rank0.pkl", "node0/rank1.pkl", "node1/rank0.pkl", "node1/rank1.pkl"}) ==
          std::vector<std::uint64_t>{0, 1, 2, 3});
    CHECK(numbers({"0_0.pickle", "0_1.pickle", "1_0.pickle", "1_1.pickle"}) == std::vector<std::uint64_t>{0, 1, 2, 3});
  }
  SUBCASE("one of which is") {
    CHECK(numbers({"snapshot_mp_rank_00_000.pickle", "snapshot_mp_rank_01_001.pickle", "snapshot_mp_rank_00_002.pickle",
                   "snapshot_mp_rank_01_003.pickle"}) == std::vector<std::uint64_t>{0, 1, 2, 3});
    CHECK(numbers({"node0_rank3.pickle", "node1_rank4.pickle", "node1_rank5.pickle"}) ==
          std::vector<std::uint64_t>{3, 4, 5});
    CHECK(numbers({"dp8_tp1_rank0.pickle", "dp8_tp1_rank1.pickle"}) == std::vector<std::uint64_t>{0, 1});
  }
  SUBCASE("with steps: they are not coordinates") {
    CHECK(numbers({"dp0_tp0_step1.pickle", "dp0_tp1_step1.pickle", "dp1_tp0_step1.pickle", "dp1_tp1_step1.pickle",
                   "dp0_tp0_step2.pickle", "dp0_tp1_step2.pickle", "dp1_tp0_step2.pickle", "dp1_tp1_step2.pickle"}) ==
          std::vector<std::uint64_t>{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(numbers({"epoch0/0.pickle", "epoch0/1.pickle", "epoch1/0.pickle", "epoch1/1.pickle"}) ==
          std::vector<std::uint64_t>{0, 1, 0, 1});
    CHECK(numbers({"0_step0.pickle", "1_step0.pickle", "0_step1.pickle", "1_step1.pickle"}) ==
          std::vector<std::uint64_t>{0, 1, 0, 1});
  }
  SUBCASE("the global rank goes before all others") {
    CHECK(numbers({"GLOBAL_RANK_8_LOCAL_RANK_0.pickle", "GLOBAL_RANK_9_LOCAL_RANK_1.pickle"}) ==
          std::vector<std::uint64_t>{8, 9});
    CHECK(numbers({"local_rank0_global_rank16.pickle", "dp1_tp0_world-rank=3.pickle"}) ==
          std::vector<std::uint64_t>{16, 3});
  }
}

TEST_CASE("ranks of names with gaps") {
  const auto ranks = found({"job/rank0.pickle", "job/rank3.pickle", "job/rank7.pickle"});
  CHECK(ranks[1].rank == 3);
  CHECK(ranks[2].source == RankSource::name);
  const auto numbered = found({"job/mem_0.pickle", "job/mem_3.pickle.zst"});
  CHECK(numbered[1].rank == 3);
}

TEST_CASE("a word in a folder that all files share is no rank") {
  const auto ranks = found({"runs/rank9/mem_0.pickle", "runs/rank9/mem_1.pickle"});
  CHECK(ranks[0].rank == 0);
  CHECK(ranks[1].rank == 1);
}

TEST_CASE("--rank-pattern") {
  const auto ranks = found({"node1-gpu2-x.pickle", "node1-gpu13-x.pickle", "other.pickle"}, R"(gpu(\d+))");
  CHECK(ranks[0].rank == 2);
  CHECK(ranks[1].rank == 13);
  CHECK(ranks[1].source == RankSource::pattern);
  CHECK_FALSE(ranks[2].rank);
  CHECK_THROWS_AS(static_cast<void>(found({"a"}, "(")), UsageError);
  CHECK_THROWS_AS(static_cast<void>(found({"a"}, "gpu")), UsageError);
}

TEST_CASE("the step of a name") {
  CHECK(step_of_name("run/step_000100/rank3.pickle") == 100);
  CHECK(step_of_name("iteration_7/rank3.pickle") == 7);
  CHECK(step_of_name("epoch0/3.pickle") == 0);
  CHECK_FALSE(step_of_name("stepped.pickle"));
}
