#pragma once

// A snapshot as lines of text, ids resolved: two snapshots are the same when their texts are.

#include "memviz/recording.hpp"

#include <string>

namespace memviz::test {

[[nodiscard]] std::string snapshot_text(const Recording& snapshot);

} // namespace memviz::test
