#pragma once

// The facts of a recording besides memory and events -> keys of a snapshot: settings, annotations, the additions of
// memviz's recorder and rehearsal.

#include "formats/frame_writer.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/snapshot_pickle.hpp"

namespace memviz {

/// The destination of the facts: a dict of `pickle` that has been begun.
struct FactsOutput {
  PickleWriter& pickle;
  FrameWriter& frames;
};

void write_settings(const FactsOutput& output, const Recording& recording);
/// Omits annotations before or after the written events.
void write_annotations(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part);
/// Omits memory that was allocated after the moment of the state, or freed by the end.
void write_recorder(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part);
/// Writes the objects that refer to memory of the written devices, unless the state is before the end of the recording.
void write_keepers(const FactsOutput& output, const MemoryState& state, const SnapshotPart& part);
void write_rehearsal(const FactsOutput& output, const Recording& recording);

} // namespace memviz
