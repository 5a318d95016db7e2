#pragma once

// The passes before a failed request -> how much the pass in which it failed still needs. A pass is a forward and a
// backward pass with what follows them; it ends with an optimizer's step where these are annotated. All sizes are
// bytes.

#include "memviz/event_index.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memviz {

/// The part of the rest of the pass that the recording shows.
enum class PassBasis : std::uint8_t {
  pass_before,   ///< a pass before made the same request, and everything from there to this request is recorded
  no_pass,       ///< no pass has ended before the request
  no_same_point, ///< no pass before made this request
  larger,        ///< passes before made a smaller request at this point
};

/// "pass_before", "no_pass", ...
[[nodiscard]] std::string_view pass_basis_name(PassBasis basis);

struct PassNeed {
  PassBasis basis = PassBasis::no_pass;
  std::uint64_t passes = 0; ///< those that ended before the request
  EventIndex start = {};    ///< the first event of this pass; none if no pass has ended
  /// The highest live memory of the pass before minus that where it began; 0 if the recording begins with that pass.
  std::uint64_t rise_bytes = 0;
  std::uint64_t risen_bytes = 0; ///< live memory at the request minus that where this pass began; 0 if it fell
  /// The most by which live memory still rises, including the request: as after the same request of a pass before; if
  /// there is none, as far as the pass before; if no pass has ended, a lower bound.
  std::uint64_t to_come_bytes = 0;
  std::uint64_t available_bytes = 0; ///< free on the device and in PyTorch's memory, whoever may use it
  /// About what torch.utils.checkpoint of each layer frees of what this pass keeps so far: neither logits and loss, nor
  /// inputs, nor what is checkpointed already.
  std::uint64_t checkpointing_bytes = 0;
  std::uint64_t growth_bytes = 0; ///< live memory at this point minus that at the same point of the pass before

  /// Whether more may be needed.
  [[nodiscard]] bool is_least() const { return basis != PassBasis::pass_before; }
  [[nodiscard]] std::uint64_t missing_bytes() const {
    return to_come_bytes > available_bytes ? to_come_bytes - available_bytes : 0;
  }
};

/// An event that is expected to happen again.
struct RestEvent {
  std::size_t index = 0;        ///< of the recorded event: an alloc or a free_completed
  std::size_t allocated_by = 0; ///< the recorded alloc of the same memory
  /// Identifies the memory: the address of a block that is alive at the request, or a number above all addresses.
  std::uint64_t address = 0;
};

struct PassRest {
  PassNeed need;
  std::vector<RestEvent> events; ///< from the request to the same point of the next pass; empty if unknown
};

} // namespace memviz
