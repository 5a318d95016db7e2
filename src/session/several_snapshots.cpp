#include "memviz/several_snapshots.hpp"

#include "base/printable.hpp"
#include "memviz/rank_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz {

namespace {

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 4;
  constexpr std::size_t kShownColumns = 60;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMostShown; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", elided(names[i], kShownColumns));
  return names.size() > kMostShown ? list + ", ..." : list;
}

std::string message_of_several(const std::vector<std::string>& names) {
  return fmt::format("holds {} snapshots ({}): choose one with --rank, or compare all of them with memviz ranks",
                     names.size(), listed_names(names));
}

} // namespace

SeveralSnapshots::SeveralSnapshots(std::vector<std::string> names)
    : Error(message_of_several(names)), names_(std::move(names)) {
}

SeveralSnapshots::SeveralSnapshots(const std::string& file, const SeveralSnapshots& error)
    : Error(file + ": " + error.what()), names_(error.names()) {
}

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
  throw UsageError(fmt::format("--rank {}: the file holds no such snapshot, but {}", *rank, listed_names(names)));
}

} // namespace memviz
