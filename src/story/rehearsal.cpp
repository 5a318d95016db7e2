#include "memviz/rehearsal.hpp"

namespace memviz {

std::string rehearsal_text(const Rehearsal& rehearsal) {
  std::string name = "GPU";
  if (!rehearsal.gpu.empty())
    name = rehearsal.gpu;
  else if (!rehearsal.profile.empty())
    name = "GPU (" + rehearsal.profile + ")";
  return "rehearsed on a made-up " + name + ", not recorded on a GPU";
}

std::string rehearsal_alert(const std::optional<Rehearsal>& rehearsal) {
  return rehearsal ? "rehearsed, not recorded on a GPU" : "";
}

} // namespace memviz
