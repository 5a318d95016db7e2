#pragma once

// A document -> the snapshots in it. Programs wrap a snapshot ({"step": 10, "snapshot": ...}, a tuple with notes), and
// gather those of all ranks in a list, or in a dict by rank.

#include "value/document.hpp"

#include <string>
#include <vector>

namespace memviz {

/// A snapshot, and the subscript of Python that leads to it: "" for the document itself, "[3]", "['snapshot']".
struct FoundSnapshot {
  std::string name;
  Value value;
};

/// Returns the snapshots in the order of the file; the document itself if it is one, and if it has none. Looks into
/// each container once, and not deeper than a few.
[[nodiscard]] std::vector<FoundSnapshot> snapshots_in(const Document& document);

/// Whether the value is a list of lists of events, as `device_traces` is.
[[nodiscard]] bool is_trace_list(const Document& document, Value value);

/// Whether the root is a snapshot of which only the events are left: `device_traces`, alone or in a dict.
[[nodiscard]] bool has_only_events(const Document& document);

} // namespace memviz
