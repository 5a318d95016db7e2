#pragma once

// The facts of a recording besides memory and events -> keys of a snapshot: settings, annotations, what memviz's
// recorder and rehearsal add.

#include "export/frame_writer.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/snapshot_pickle.hpp"

namespace memviz {

/// The place where the facts go: a dict of `pickle` that has been begun.
struct FactsOutput {
  PickleWriter& pickle;
  FrameWriter& frames;
};

void write_settings(const FactsOutput& output, const Recording& recording);
/// Leaves out those before or after the events that are written.
void write_annotations(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part);
/// Leaves out what was allocated after the moment of the state, or freed until the end.
void write_recorder(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part);
void write_rehearsal(const FactsOutput& output, const Recording& recording);

} // namespace memviz
