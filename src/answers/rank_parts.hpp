#pragma once

// A file of a job -> the parts of its ranks, a few kilobytes each: for the program, and for the page, which keeps
// nothing else of a file that is not open.

#include "memviz/kinds.hpp"
#include "memviz/ranks.hpp"
#include "memviz/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz {

struct PartQuestion {
  KindRules kind_rules = {};
  std::size_t most_text_bytes = kPartTextBytes; ///< of the lines of a part
};

/// Returns a part for each snapshot of the session, with the largest variables that keep memory. `name` is that of the
/// file; several snapshots have theirs after it, unless texts are rewritten. Throws the exceptions of Session::open().
[[nodiscard]] std::vector<RankPart> rank_parts(const std::string& name, Session& session,
                                               const PartQuestion& question = {});

} // namespace memviz
