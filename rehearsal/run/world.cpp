#include "run/world.hpp"

#include "base/parts.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <utility>

namespace memviz::rehearse {

namespace {

/// The value of an option for ranks, and the text of it that an error shows.
struct RankWords {
  std::string_view option;
  std::string_view text;
  std::uint64_t ranks;
};

std::uint64_t rank_of(const RankWords& words, std::string_view text) {
  const auto rank = whole_number<std::uint64_t>(text);
  if (!rank)
    throw UsageError(fmt::format("--{} must be ranks, as in 0,3..5 or 0+8, not '{}'", words.option, words.text));
  if (*rank < words.ranks) return *rank;
  throw UsageError(
      fmt::format("--{} {}: a job of {} has the ranks 0 to {}", words.option, *rank, words.ranks, words.ranks - 1));
}

RankSet joined_ranks(const RankWords& words, std::string_view text) {
  RankSet set;
  for (const std::string_view part : parts_of(text, '+'))
    if (const std::uint64_t rank = rank_of(words, part); std::ranges::find(set, rank) == set.end()) set.push_back(rank);
  std::ranges::sort(set);
  if (set.size() <= kMostMeeting) return set;
  throw UsageError(
      fmt::format("--{} joins {} ranks; at most {} run at the same time", words.option, set.size(), kMostMeeting));
}

std::vector<RankSet> ranks_between(const RankWords& words, std::string_view first, std::string_view last) {
  const std::uint64_t begin = rank_of(words, first);
  const std::uint64_t end = rank_of(words, last);
  if (begin > end) throw UsageError(fmt::format("--{} {}: {} is after {}", words.option, words.text, begin, end));
  std::vector<RankSet> sets;
  for (std::uint64_t rank = begin; rank <= end; ++rank)
    sets.push_back({rank});
  return sets;
}

/// 1, 4, 2, 6, 3, 5, 7 of 8: each position in a node except the first, distant ones first.
std::vector<std::uint64_t> positions(std::uint64_t node_ranks) {
  std::vector<std::uint64_t> list;
  const auto add = [&](std::uint64_t position) {
    if (position < node_ranks && std::ranges::find(list, position) == list.end()) list.push_back(position);
  };
  add(1); // in a tensor-parallel group, the first that is not its head
  for (std::uint64_t parts = 2; parts < 2 * node_ranks; parts *= 2)
    for (std::uint64_t part = 1; part < parts; part += 2)
      add(std::max<std::uint64_t>(1, node_ranks * part / parts));
  return list;
}

} // namespace

std::vector<RankSet> parse_ranks(std::string_view option, std::string_view text, std::uint64_t ranks) {
  const RankWords words{option, text, ranks};
  std::vector<RankSet> list;
  for (const std::string_view part : parts_of(text, ',')) {
    const std::size_t dots = part.find("..");
    std::vector<RankSet> sets{};
    if (dots == std::string_view::npos)
      sets.push_back(joined_ranks(words, part));
    else
      sets = ranks_between(words, part.substr(0, dots), part.substr(dots + 2));
    for (RankSet& set : sets)
      if (std::ranges::find(list, set) == list.end()) list.push_back(std::move(set));
  }
  return list;
}

std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t node_ranks, std::uint64_t most) {
  std::vector<std::uint64_t> list;
  const auto add = [&](std::uint64_t rank) {
    if (list.size() < most && std::ranges::find(list, rank) == list.end()) list.push_back(rank);
  };
  add(0);
  add(ranks - 1);
  const std::vector<std::uint64_t> within = positions(node_ranks);
  std::size_t next = 0;
  for (std::uint64_t stages = 2; stages <= ranks && list.size() < most; ++stages) {
    if (ranks % stages != 0) continue;
    const std::uint64_t stage_ranks = ranks / stages;
    const bool has_nodes = stage_ranks >= node_ranks && !within.empty();
    for (std::uint64_t stage = 1; stage < stages && list.size() < most; ++stage)
      if (std::gcd(stage, stages) == 1) add(stage * stage_ranks + (has_nodes ? within[next++ % within.size()] : 0));
  }
  for (std::uint64_t rank = 0; rank < ranks && list.size() < most; ++rank)
    add(rank);
  return list;
}

Variables launcher_variables(const World& world, std::uint64_t number) {
  const std::string rank = std::to_string(number);
  const std::string ranks = std::to_string(world.ranks);
  const std::string local_rank = std::to_string(number % world.node_ranks);
  const std::string node_ranks = std::to_string(world.node_ranks);
  const std::string node = std::to_string(number / world.node_ranks);
  const std::string nodes = std::to_string((world.ranks + world.node_ranks - 1) / world.node_ranks);
  return {{"RANK", rank},
          {"WORLD_SIZE", ranks},
          {"LOCAL_RANK", local_rank},
          {"LOCAL_WORLD_SIZE", node_ranks},
          {"GROUP_RANK", node},
          {"GROUP_WORLD_SIZE", nodes},
          {"NODE_RANK", node},
          {"ROLE_NAME", "default"},
          {"ROLE_RANK", rank},
          {"ROLE_WORLD_SIZE", ranks},
          {"MASTER_ADDR", "localhost"},
          {"MASTER_PORT", "29500"},
          {"SLURM_PROCID", rank},
          {"SLURM_NTASKS", ranks},
          {"SLURM_LOCALID", local_rank},
          {"SLURM_NTASKS_PER_NODE", node_ranks},
          {"SLURM_NODEID", node},
          {"SLURM_NNODES", nodes},
          {"OMPI_COMM_WORLD_RANK", rank},
          {"OMPI_COMM_WORLD_SIZE", ranks},
          {"OMPI_COMM_WORLD_LOCAL_RANK", local_rank},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", node_ranks}};
}

} // namespace memviz::rehearse
