#pragma once

// Figures -> what there is to say about them, as data: the one place where the sentences of pictures are made. Whoever
// prints a story chooses where its parts go, and says nothing of its own.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// A sentence about whether recorded bytes add up.
struct Account {
  std::string text;
  bool balances = true;
  bool is_whole = true; ///< no part of it is a guess
};

struct Story {
  std::string headline;           ///< one line: whose memory, when, and how much
  std::string answer;             ///< what the headline leads to; "" where there is nothing to say
  std::string alert;              ///< what a reader must not miss, in a few words; mostly ""
  std::string caption;            ///< what the drawing is of, where that takes a sentence
  std::vector<std::string> facts; ///< a few words each: the moment, counts, the generation of PyTorch
  std::vector<std::string> notes; ///< sentences for the bottom
  std::vector<Account> accounts;
};

/// The subject of a flame graph, in addition to its tree.
struct MemorySubject {
  const MemoryState& state;
  std::span<const DeviceState> devices;
  std::vector<UserLine> users; ///< of the leading device, where these are at different moments
  /// The moment of the recording, in words that fit after "24.4 GiB reserved".
  std::string moment = "at the end of recording";
};

/// Returns the subject for `device`, or for all devices. Refers to `state`.
[[nodiscard]] MemorySubject memory_subject(const MemoryState& state, std::optional<DeviceId> device);

/// "GPU 0 at its peak: 7.99 GiB reserved, 79.0 % in use. The largest user, log_predictions metrics.py:42, holds 746 MiB
/// (11.2 % of what is in use)"; at an out-of-memory error, what was asked for.
[[nodiscard]] Story flame_story(const MemorySubject& subject);

/// The --focus and --hide that a tree passed, as they were given; a pattern that may not be shown is "".
struct TreeFilters {
  bool has_focus = false;
  bool has_hide = false;
  std::string focus = {};
  std::string hide = {};
  LifeRange lives = {};
};

/// Bytes of the stacks in a tree, which are those that --focus matches.
[[nodiscard]] std::uint64_t stack_bytes(const FrameTree& tree);
/// "focus zzzz: 0 B of 4.13 GiB in use"; "allocated in events 10 to 50: 1.00 GiB of 4.13 GiB in use"; "" without
/// filters.
[[nodiscard]] std::string filters_text(const FrameTree& tree, std::uint64_t in_use_bytes, const TreeFilters& filters);

/// A request that the device could not fulfil, and what it was asked of.
struct FailedRequest {
  const DeviceState& device_state;
  std::uint64_t bytes = 0;
  std::uint64_t largest_hole_bytes = 0;
};

/// Returns the story of a drawing of segments, which is about holes. `failed`: the first request that failed, if one
/// did.
[[nodiscard]] Story state_story(const MemoryState& state, std::optional<DeviceId> device,
                                const std::optional<FailedRequest>& failed);

/// "+1.10 GiB allocated at the peak: 6.58 GiB before, 7.68 GiB after. Most of it by step train.py:12 +1.10 GiB; against
/// it load data.py:3 −64.0 MiB".
[[nodiscard]] Story compare_story(const Comparison& comparison);

/// Returns the facts about one side of a comparison in addition to its totals: devices, moment, generation, that it
/// was rehearsed.
[[nodiscard]] std::vector<std::string> side_facts(const MemoryState& state, std::optional<DeviceId> device);
/// Counts and the time of recording of one side.
[[nodiscard]] std::vector<std::string> count_facts(const DeviceFigures& figures);

/// The subject of one chart of a timeline; refers to its parts.
struct TimelineSubject {
  const MemoryState& state;
  const DeviceState& device_state; ///< of the whole device
  const DeviceRecord& record;
  Window window;
  std::string place; ///< "stream 0, private pool (0,1)"; "" for a whole device
  TimelineKind kind = TimelineKind::allocations;
  const BandChart& bands;
  const std::vector<Holder>& holders;          ///< of the peak
  std::optional<std::uint64_t> capacity_bytes; ///< that an out-of-memory error reported
  /// The other curve at the peak: reserved bytes, or where those are drawn, live bytes.
  std::optional<std::uint64_t> overlay_bytes;
  std::uint64_t annotations_left_out = 0;
  std::size_t devices = 1;   ///< in the picture
  bool names_device = false; ///< whether notes say which device they are of

  [[nodiscard]] bool is_segments() const { return kind == TimelineKind::segments; }
  /// Whether nothing of the recording is left out.
  [[nodiscard]] bool is_whole() const { return window.first == 0 && window.last + 1 == record.states(); }
  [[nodiscard]] const Slice& peak() const { return bands.slices[bands.peak]; }
  /// The last out-of-memory error within the window; null where there is none.
  [[nodiscard]] const Mark* last_oom() const;
};

/// "Peak 78.3 GiB on GPU 1: update_nodes models.py:174 held 29.7 GiB. The out-of-memory error asked for 4.94 GiB with
/// 91.2 MiB free."
[[nodiscard]] Story timeline_story(const TimelineSubject& subject);
/// "GPU 1, stream 0": what a chart is of.
[[nodiscard]] std::string timeline_owner(const TimelineSubject& subject);

/// "GPU 0", "3 GPUs", "2 GPUs and host memory", "no GPU"
[[nodiscard]] std::string devices_text(std::span<const DeviceState> devices);

/// "78.4 GiB reserved, 0.5 % in use"
[[nodiscard]] std::string use_text(const MemoryTotals& totals);

/// Returns a hint for each device whose recording was fuller before its end: which other moment to look at.
[[nodiscard]] std::vector<std::string> end_hints(std::span<const DeviceState> devices);

} // namespace memviz
