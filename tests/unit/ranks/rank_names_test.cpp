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
  CHECK_FALSE(step_of_name("stepped.pickle"));
}
