#include "session/chosen_snapshot.hpp"

#include "memviz/error.hpp"
#include "memviz/rank_names.hpp"
#include "memviz/several_snapshots.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

std::size_t chosen_snapshot(const std::vector<std::string>& names, const std::optional<std::string>& rank) {
  if (names.size() == 1) return 0;
  if (!rank) throw SeveralSnapshots(names);
  for (const std::string& name : {*rank, "[" + *rank + "]", "['" + *rank + "']"}) {
    const auto named = std::ranges::find(names, name);
    if (named != names.end()) return static_cast<std::size_t>(named - names.begin());
  }
  const std::vector<NamedRank> ranks = ranks_of_names(names, "");
  const auto numbered =
      std::ranges::find_if(ranks, [&](const NamedRank& one) { return one.rank && std::to_string(*one.rank) == *rank; });
  if (numbered != ranks.end()) return static_cast<std::size_t>(numbered - ranks.begin());
  throw UsageError(fmt::format("--rank {}: the file holds no such snapshot, but {}", *rank, listed_snapshots(names)));
}

} // namespace memviz
