#pragma once

// The state of a device at a moment -> why memory ran out, or why it is reserved and not used: totals that add up to
// the byte, a verdict with its figures, and what would have helped, computed by replay. All sizes are bytes.

#include "memviz/allocator_settings.hpp"
#include "memviz/causes.hpp"
#include "memviz/flame.hpp"
#include "memviz/keeper_answers.hpp"
#include "memviz/kinds.hpp"
#include "memviz/memory_ledger.hpp"
#include "memviz/pass_need.hpp"
#include "memviz/pins.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "memviz/what_if.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The memory taken between the last low point of live memory and the moment.
struct Growth {
  EventIndex low_event;             ///< the low point is after this event
  std::uint64_t low_bytes = 0;      ///< live requested bytes there
  std::uint64_t live_bytes = 0;     ///< at the moment
  std::vector<UserLine> lines;      ///< allocated since then and alive at the moment, largest first
  std::uint64_t reserved_bytes = 0; ///< taken from the device since then: segment_alloc and segment_map
  std::vector<UserLine> reserving;  ///< the lines that caused this, largest first
};

/// The memory kept from step to step, as find_leaks() finds it.
struct StepLeak {
  std::uint64_t bytes_per_step = 0;
  std::uint64_t steps = 0;
  std::vector<UserLine> lines; ///< bytes per step, and blocks at the end of the recording; largest first
  StackId stack;               ///< the one that grows most
};

/// A way to need less memory in a training step.
enum class Lever : std::uint8_t {
  checkpointing, ///< recomputes activations in the backward pass
  smaller_batch, ///< half of it, or less
  smaller_state, ///< of the optimizer
  settings,      ///< of the allocator, as what_if() tried them
};

struct LeverGain {
  Lever lever = Lever::checkpointing;
  std::uint64_t bytes = 0;    ///< at most
  std::uint64_t divisor = 2;  ///< of smaller_batch: the largest part of 1/2, 1/4, 1/8 that is enough, else 1/2
  bool is_enough = false;     ///< as far as the recording shows
  bool assumes_state = false; ///< whether they are those of an optimizer that has not run
  bool is_necessary = false;  ///< whether no batch is small enough without it
  StepEffect effect = {};     ///< of checkpointing, and of this part of the batch
};

/// The first training step, if memory runs out in it: its live memory, a lower bound of what is still to come if all
/// parameters are trained, and what would make room. Bytes are counted by kind.
struct FirstStep {
  std::uint64_t parameter_bytes = 0;
  std::uint64_t gradient_bytes = 0;
  std::uint64_t gradients_to_come_bytes = 0;
  /// Whether a backward pass or an optimizer has run. Else it may be a forward pass that needs no gradients.
  bool shows_training = false;
  std::string optimizer; ///< its class, "AdamW"; "" where none is seen, and then the state is what Adam keeps
  std::uint64_t values_per_parameter = 0; ///< a lower bound for the optimizer's state
  std::uint64_t state_bytes = 0;          ///< the optimizer's
  std::uint64_t state_to_come_bytes = 0;
  std::uint64_t pass_bytes = 0;      ///< all other kinds except workspaces, kept by the current pass
  std::uint64_t needed_bytes = 0;    ///< for parameters, gradients and state, once the optimizer has state
  std::uint64_t available_bytes = 0; ///< available to PyTorch: what it held and what the device had free
  std::uint64_t missing_bytes = 0;   ///< a lower bound for the whole step
  std::vector<LeverGain> levers;     ///< largest first
};

struct ExplainOptions {
  std::optional<std::uint64_t> capacity_bytes; ///< of each device; nullopt: as the file records, if it does
  std::optional<DeviceId> device;              ///< only this one
};

/// Another device of the same recording, at its own moment.
struct OtherDevice {
  DeviceId device;
  Moment at;
  std::uint64_t reserved_bytes = 0;
};

struct DeviceExplanation {
  DeviceState device_state; ///< at the moment
  AllocatorSettings settings;
  std::optional<Request> request;         ///< if the moment is an out-of-memory error
  NodeKey asking_line;                    ///< of the request, as in UserLine
  std::vector<StringId> open_annotations; ///< when the request was made, outermost first
  MemoryLedger ledger;
  std::optional<MeasuredDevice> measured; ///< when the file was written
  Judgement judgement;
  std::vector<UserLine> users; ///< the lines that hold memory at the moment, largest first
  /// For the lines in `users`: the callers that account for most of the line's bytes, if there are any.
  std::map<NodeKey, CalledLine> callers;
  std::vector<Cause> causes; ///< in the order in which they are named
  KindAccount kinds;         ///< all 0 if the state has no kinds
  /// If the file has them, and the moment is that at which it was written: the end.
  std::optional<DeviceKeepers> keepers;
  Pins pins;
  Growth growth;
  std::optional<StepLeak> leak;        ///< if steps are annotated, and the amount matters
  std::optional<PassNeed> pass;        ///< if a request failed on a GPU
  std::optional<FirstStep> first_step; ///< if memory ran out in it
  Fidelity fidelity;
  std::vector<WhatIf> what_ifs;     ///< nullopt for main memory, which no such allocator manages
  std::vector<UserLine> in_the_way; ///< the lines of the blocks in without_blocks, largest first
  /// For the first device, if it failed: other devices that held less than half as much.
  std::vector<OtherDevice> less_used;
};

/// Returns an explanation for each device, those that failed first. The recording of `state` must hold its events.
[[nodiscard]] std::vector<DeviceExplanation> explain(const MemoryState& state, const ExplainOptions& options);

} // namespace memviz
