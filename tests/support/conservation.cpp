#include "support/conservation.hpp"

#include "analysis/tree/no_stack_account.hpp"
#include "analysis/tree/weighted_paths.hpp"
#include "memviz/kinds.hpp"

#include <doctest/doctest.h>

namespace memviz::test {
namespace {

/// Returns the bytes of all segments, each of which must be filled by its blocks.
std::uint64_t segment_bytes(const MemoryState& state, DeviceId device) {
  std::uint64_t total_bytes = 0;
  for (const Segment& segment : state.segments_of(device)) {
    std::uint64_t bytes = segment.uncovered_bytes;
    for (const Block& block : state.blocks_of(segment)) {
      bytes += block.size_bytes;
      CHECK(block.requested_bytes <= block.size_bytes);
    }
    CHECK(bytes == segment.total_bytes);
    total_bytes += bytes;
  }
  return total_bytes;
}

void check_paths(const MemoryState& state, std::optional<DeviceId> device, const DeviceFigures& figures) {
  TreeOptions options;
  options.device = device;
  std::uint64_t bytes = 0;
  std::uint64_t no_stack_bytes = 0;
  for_each_path(state, options, [&](std::span<const NodeKey> path, const Amount& amount) {
    bytes += amount.bytes;
    if (!path.empty() && has_no_stack(path.back())) no_stack_bytes += amount.bytes;
  });
  CHECK(bytes == figures.reserved_bytes + figures.outside_bytes);
  CHECK(no_stack_account(rank_user_lines(state, device)).total.bytes == no_stack_bytes);
  std::uint64_t bytes_by_kind = 0;
  for_each_kind_path(state, options,
                     [&](auto, const Amount& amount, const KindShares&) { bytes_by_kind += amount.bytes; });
  CHECK(bytes_by_kind == bytes);
}

/// `device` is one, or all.
void check_sums(const MemoryState& state, std::optional<DeviceId> device, const DeviceFigures& figures) {
  CHECK(figures.allocated_bytes + figures.pending_free_bytes + figures.inactive_bytes + figures.unaccounted_bytes ==
        figures.reserved_bytes);
  check_paths(state, device, figures);
  if (state.has_kinds) CHECK(bytes_of_kinds(kind_account(state, device)) == figures.requested_bytes);
}

} // namespace

void check_conserved(const MemoryState& state) {
  CHECK(state.facts.size() == state.blocks.size());
  for (const DeviceState& device : state.devices) {
    CHECK(segment_bytes(state, device.device) == device.figures.reserved_bytes);
    check_sums(state, device.device, device.figures);
  }
  check_sums(state, std::nullopt, sum_of(state.devices));
}

} // namespace memviz::test
