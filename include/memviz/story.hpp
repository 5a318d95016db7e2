#pragma once

// Figures -> the sentences about them, as data: the one place where the sentences of pictures are made. Code that
// prints a story decides where its parts go, and adds no words.

#include "memviz/compare.hpp"
#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/timeline.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// A sentence about whether recorded bytes add up.
struct Account {
  std::string text;
  bool balances = true;
  bool is_whole = true; ///< no part of it is estimated
};

struct Story {
  std::string headline;           ///< one line: the memory, its holder and the moment
  std::string answer;             ///< what the headline leads to; "" where there is nothing to say
  std::string alert;              ///< what a reader must not miss, in a few words; mostly ""
  std::string caption;            ///< what the drawing shows, if that takes a sentence
  std::vector<std::string> facts; ///< a few words each: the moment, counts, the generation of PyTorch
  std::vector<std::string> notes; ///< sentences for the bottom
  std::vector<Account> accounts;
};

/// The subject of a flame graph, besides its tree.
struct MemorySubject {
  const MemoryState& state;
  std::span<const DeviceState> devices;
  std::vector<UserLine> users; ///< of the leading device, if devices are at different moments
  /// The moment of the recording, in words that fit after "24.4 GiB reserved".
  std::string moment = "at the end of recording";
  /// The users within --focus and a range of lives, with what they hold of that; nullopt without either.
  std::optional<std::vector<UserLine>> focused = {};

  [[nodiscard]] const std::vector<UserLine>& shown_users() const { return focused ? *focused : users; }
};

/// Returns the subject of a graph of `tree`, for `device` or for all devices. Keeps a reference to `state`.
[[nodiscard]] MemorySubject memory_subject(const MemoryState& state, std::optional<DeviceId> device,
                                           const TreeOptions& tree = {});

/// "GPU 0 at its peak: 7.99 GiB reserved, 79.0 % in use. The largest user, log_predictions metrics.py:42, holds 746 MiB
/// (11.2 % of requested memory)"; at an out-of-memory error, also the request.
[[nodiscard]] Story flame_story(const MemorySubject& subject);

/// The --focus and --hide that were applied to a tree, as given; "" for a pattern that must not be shown.
struct TreeFilters {
  bool has_focus = false;
  bool has_hide = false;
  std::string focus = {};
  std::string hide = {};
  LifeRange lives = {};
};

/// Returns the bytes of the stacks in a tree that --focus matches.
[[nodiscard]] std::uint64_t stack_bytes(const FrameTree& tree);
/// "focus zzzz: 0 B of 4.13 GiB requested"; "allocated in events 10 to 50: 1.00 GiB of 4.13 GiB requested"; "" without
/// filters.
[[nodiscard]] std::string filters_text(const FrameTree& tree, std::uint64_t requested_bytes,
                                       const TreeFilters& filters);

/// A request that the device could not fulfil, and the device.
struct FailedRequest {
  const DeviceState& device_state;
  std::uint64_t bytes = 0;
  std::uint64_t largest_hole_bytes = 0;
};

/// Returns the story of a drawing of segments, which is about free memory between blocks. `failed`: the first request
/// that failed, if any.
[[nodiscard]] Story state_story(const MemoryState& state, std::optional<DeviceId> device,
                                const std::optional<FailedRequest>& failed);

/// "+1.10 GiB allocated at the peak: 6.58 GiB before, 7.68 GiB after. Most of it by step train.py:12 +1.10 GiB; against
/// it load data.py:3 −64.0 MiB".
[[nodiscard]] Story compare_story(const Comparison& comparison);

/// Returns the facts about one side of a comparison besides its totals: devices, moment, generation, whether it was
/// rehearsed.
[[nodiscard]] std::vector<std::string> side_facts(const MemoryState& state, std::optional<DeviceId> device);
/// Counts and the time of recording of one side.
[[nodiscard]] std::vector<std::string> count_facts(const DeviceFigures& figures);

/// The subject of one chart of a timeline; keeps references to its parts.
struct TimelineSubject {
  const MemoryState& state;
  const DeviceState& device_state; ///< of the whole device
  const DeviceRecord& record;
  Window window;
  std::string place; ///< "stream 0, private pool (0,1)"; "" for a whole device
  TimelineKind kind = TimelineKind::allocations;
  const BandChart& bands;
  const std::vector<UserLine>& holders;        ///< at the peak
  std::optional<std::uint64_t> capacity_bytes; ///< reported by an out-of-memory error
  /// The other curve at the peak: reserved bytes, or live bytes if reserved ones are drawn.
  std::optional<std::uint64_t> overlay_bytes;
  std::uint64_t annotations_left_out = 0;
  std::size_t devices = 1;   ///< in the picture
  bool names_device = false; ///< whether notes name their device

  [[nodiscard]] bool is_segments() const { return kind == TimelineKind::segments; }
  /// Whether the whole recording is shown.
  [[nodiscard]] bool is_whole() const { return window.first == 0 && window.last + 1 == record.states(); }
  [[nodiscard]] const Slice& peak() const { return bands.slices[bands.peak]; }
  /// Returns the last out-of-memory error within the window; null if there is none.
  [[nodiscard]] const Mark* last_oom() const;
};

/// "Peak 78.3 GiB on GPU 1: update_nodes models.py:174 held 29.7 GiB. The out-of-memory error asked for 4.94 GiB with
/// 91.2 MiB free."
[[nodiscard]] Story timeline_story(const TimelineSubject& subject);
/// "GPU 1, stream 0": the subject of a chart.
[[nodiscard]] std::string timeline_owner(const TimelineSubject& subject);

/// "GPU 0", "3 GPUs", "2 GPUs and host memory", "no GPU"
[[nodiscard]] std::string devices_text(std::span<const DeviceState> devices);

/// "78.4 GiB reserved, 0.5 % in use"
[[nodiscard]] std::string use_text(const MemoryTotals& totals);

/// Returns a hint for each device whose recording held more before its end: which other moment to look at.
[[nodiscard]] std::vector<std::string> end_hints(std::span<const DeviceState> devices);

} // namespace memviz
