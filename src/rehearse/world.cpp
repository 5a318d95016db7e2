#include "rehearse/world.hpp"

#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace memviz::rehearse {

std::vector<std::uint64_t> parse_ranks(std::string_view option, std::string_view text, std::uint64_t ranks) {
  std::vector<std::uint64_t> list;
  for (std::string_view rest = text;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t dots = part.find("..");
    const auto first = whole_number<std::uint64_t>(part.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : whole_number<std::uint64_t>(part.substr(dots + 2));
    if (!first || !last || *first > *last)
      throw UsageError(fmt::format("--{} must be ranks, as in 0,3..5, not '{}'", option, text));
    if (*last >= ranks)
      throw UsageError(fmt::format("--{} {}: a job of {} has the ranks 0 to {}", option, *last, ranks, ranks - 1));
    for (std::uint64_t rank = *first; rank <= *last; ++rank)
      if (std::find(list.begin(), list.end(), rank) == list.end()) list.push_back(rank);
    if (part.size() == rest.size()) return list;
    rest.remove_prefix(part.size() + 1);
  }
}

std::vector<std::uint64_t> spread_ranks(std::uint64_t ranks, std::uint64_t most) {
  std::vector<std::uint64_t> list{0};
  if (ranks > 1 && most > 1) list.push_back(ranks - 1);
  while (list.size() < std::min(ranks, most)) {
    std::vector<std::uint64_t> sorted = list;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t widest = 0;
    std::uint64_t middle = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (const std::uint64_t gap = sorted[i] - sorted[i - 1]; gap > widest) {
        widest = gap;
        middle = sorted[i - 1] + (gap + 1) / 2;
      }
    list.push_back(middle);
  }
  return list;
}

Variables launcher_variables(const WorldRank& world) {
  const std::string rank = std::to_string(world.rank);
  const std::string ranks = std::to_string(world.ranks);
  const std::string local_rank = std::to_string(world.rank % world.node_ranks);
  const std::string node_ranks = std::to_string(world.node_ranks);
  const std::string node = std::to_string(world.rank / world.node_ranks);
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
