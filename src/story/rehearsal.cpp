#include "memviz/rehearsal.hpp"

#include <fmt/format.h>

namespace memviz {

std::string rehearsal_text(const Rehearsal& rehearsal) {
  std::string name = "GPU";
  if (!rehearsal.gpu.empty())
    name = rehearsal.gpu;
  else if (!rehearsal.profile.empty())
    name = "GPU (" + rehearsal.profile + ")";
  std::string rank;
  if (rehearsal.rank && rehearsal.ranks)
    rank = fmt::format(" as rank {} of {}, the other ranks absent", *rehearsal.rank, *rehearsal.ranks);
  return fmt::format("rehearsed on a made-up {}{}, not recorded on a GPU", name, rank);
}

std::string rehearsal_alert(const std::optional<Rehearsal>& rehearsal) {
  return rehearsal ? "rehearsed, not recorded on a GPU" : "";
}

} // namespace memviz
