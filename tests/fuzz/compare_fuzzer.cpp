// Two pickles, one after another -> their comparison both ways, its lists and its picture.

#include "memviz/compare.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/svg.hpp"
#include "pickle/decoder.hpp"
#include "promises.hpp"
#include "require.hpp"
#include "snapshot_checks.hpp"

#include <cstdint>
#include <string_view>

using namespace memviz;

namespace {

void check_direction(const MemoryState& before, const MemoryState& after, const CompareOptions& options) {
  const Comparison there = compare_snapshots(before, after, options);
  const Comparison back = compare_snapshots(after, before, options);
  fuzz::check_conserves_bytes(there.tree, fuzz::reserved_bytes(before), fuzz::reserved_bytes(after));
  fuzz::require(there.requested_delta_bytes() == -back.requested_delta_bytes(), "a change back that undoes the change");
  fuzz::require(there.only_before == back.only_after && there.only_after == back.only_before, "lists that swap sides");
  fuzz::require(there.changes.size() == back.changes.size(), "as many changes back");
  fuzz::require(there.in_both.size() + there.only_before.size() == before.recording->end.segments.size() ||
                    !before.recording->end.segments.empty(),
                "every segment in one of the lists");
  fuzz::require(segment_lists(there).starts_with("only_before = ["), "lists that Python reads");
  fuzz::check_svg(compare_svg({"before", "after", there, {}}, {.max_bytes = 60'000}));
}

void check_itself(const MemoryState& one, const CompareOptions& options) {
  const Comparison same = compare_snapshots(one, one, options);
  fuzz::require(same.only_before.empty() && same.only_after.empty() && same.changes.empty(), "no change to itself");
  fuzz::require(same.tree.root().total.delta_bytes() == 0, "no bytes that differ from themselves");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto end = static_cast<std::size_t>(pickle::decode(bytes).end_offset);
    const MemoryState before = replay(read_snapshot(bytes.substr(0, end)));
    const MemoryState after = replay(read_snapshot(bytes.substr(end)));
    CompareOptions options;
    options.match = size % 2 == 0 ? FrameMatch::line : FrameMatch::function;
    if (size % 3 == 0) options.tree.levels = segment_levels(after);
    check_direction(before, after, options);
    check_itself(before, options);
  } catch (const Error& error) {
    fuzz::check_error(error, size);
  }
  return 0;
}
