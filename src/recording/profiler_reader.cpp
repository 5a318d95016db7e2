#include "recording/profiler_reader.hpp"

#include "base/hash_map.hpp"
#include "memviz/format.hpp"
#include "memviz/memory_map.hpp"
#include "recording/file_kind.hpp"
#include "recording/made_values.hpp"
#include "recording/profiler_calls.hpp"
#include "recording/profiler_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// The most frames of a stack, the innermost ones; and how many bytes of the file pay for each frame of all of them.
constexpr std::size_t kMostFrames = 256;
constexpr std::uint64_t kBytesOfFrame = 8;

class SnapshotMaker {
public:
  SnapshotMaker(const Document& trace, const ProfilerEvents& events, std::uint64_t file_bytes)
      : trace_(trace), events_(events), stacks_(profiler_stacks(events)), memory_(profiler_memory(events.memory)),
        frames_left_(file_bytes / kBytesOfFrame), lists_(stacks_.nodes.size()) {}

  [[nodiscard]] ProfilerSnapshot make() {
    const Value traces = device_traces();
    const Value segments = segment_list();
    const Value annotations = annotation_list();
    made_.document.root =
        dict({{"segments", segments}, {"device_traces", traces}, {"external_annotations", annotations}});
    made_.is_cpu = events_.is_cpu;
    warn_of_events();
    warn_of_memory();
    return std::move(made_);
  }

private:
  using Item = std::pair<std::string_view, Value>;

  /// `text` must be a literal.
  Value key(std::string_view text) { return made_.document.add_text(text); }

  Value dict(std::initializer_list<Item> items) { return made_dict(made_.document, items); }
  Value list(std::span<const Value> values) { return made_list(made_.document, values); }

  Value device_traces() {
    std::vector<std::vector<Value>> traces;
    for (const ProfilerChange& change : memory_.changes) {
      const ProfilerMemoryEvent& event = events_.memory[change.event];
      if (event.device.value >= traces.size()) traces.resize(event.device.value + 1);
      traces[event.device.value].push_back(
          dict({{"action", key(action_name(change.action))},
                {"addr", made_.document.add_unsigned(change.address)},
                {"size", made_.document.add_unsigned(change.size_bytes)},
                {"stream", Value::integer(0)},
                {"time_us", time(event.time_us)},
                {"frames", change.is_recorded ? stack_of(change.event) : Value::none()}}));
    }
    std::vector<Value> lists;
    for (const std::vector<Value>& trace : traces)
      lists.push_back(list(trace));
    return list(lists);
  }

  Value segment_list() {
    std::vector<Value> segments;
    for (const ProfilerSegment& segment : memory_.segments) {
      std::vector<Value> blocks;
      for (const ProfilerBlock& block : std::span(memory_.blocks).subspan(segment.first_block, segment.block_count))
        blocks.push_back(
            dict({{"size", made_.document.add_unsigned(block.size_bytes)},
                  {"requested_size", made_.document.add_unsigned(block.size_bytes)},
                  {"state", key(state_name(block.is_active ? BlockState::active_allocated : BlockState::inactive))},
                  {"frames", block.event ? stack_of(*block.event) : Value::none()}}));
      segments.push_back(dict({{"device", Value::integer(segment.device.value)},
                               {"address", made_.document.add_unsigned(segment.address)},
                               {"total_size", made_.document.add_unsigned(segment.size_bytes)},
                               {"stream", Value::integer(0)},
                               {"blocks", list(blocks)}}));
    }
    return list(segments);
  }

  Value annotation_list() {
    struct Mark {
      double time_us = 0;
      bool is_end = false;
      Value name;
    };
    std::vector<Mark> marks;
    for (const ProfilerSpan& span : events_.annotations) {
      marks.push_back({span.begin_us, false, span.name});
      marks.push_back({span.end_us, true, span.name});
    }
    std::ranges::stable_sort(marks, {}, &Mark::time_us);
    const Value device = Value::integer(events_.memory.front().device.value);
    std::vector<Value> annotations;
    for (const Mark& mark : marks)
      annotations.push_back(dict({{"stage", key(mark.is_end ? "END" : "START")},
                                  {"name", made_.document.add_owned_text(std::string(trace_.text(mark.name)))},
                                  {"device", device},
                                  {"time_us", time(mark.time_us)}}));
    return list(annotations);
  }

  /// `time_us` is since the trace began.
  Value time(double time_us) {
    constexpr std::int64_t kNsPerUs = 1000;
    const double rest_us = static_cast<double>(events_.base_ns % kNsPerUs) / kNsPerUs;
    return made_.document.add_integer(events_.base_ns / kNsPerUs + std::llround(time_us + rest_us));
  }

  /// Returns the list of frames, innermost first; none if nothing ran, or the file is too small for so many frames.
  Value stack_of(std::uint32_t event) {
    const std::uint32_t innermost = stacks_.of_event[event];
    if (innermost == kNoCall) return Value::none();
    Value& made = lists_[innermost];
    if (made.kind() != Kind::unset) return made;
    std::vector<Value> frames;
    for (std::uint32_t node = innermost; node != kNoCall && frames.size() < kMostFrames;
         node = stacks_.nodes[node].caller)
      frames.push_back(frame_of(node));
    are_stacks_missing_ |= frames.size() > frames_left_;
    if (frames.size() > frames_left_) return made = Value::none();
    frames_left_ -= frames.size();
    return made = list(frames);
  }

  Value frame_of(std::uint32_t node) {
    Value& made = frames_by_name_[stacks_.nodes[node].name.payload()];
    if (made.kind() != Kind::unset) return made;
    ProfilerFrame frame = profiler_frame(trace_.text(stacks_.nodes[node].name));
    Document& document = made_.document;
    return made = dict({{"name", document.add_owned_text(std::move(frame.name))},
                        {"filename", document.add_owned_text(std::move(frame.file))},
                        {"line", document.add_unsigned(frame.line)}});
  }

  void say(std::string text) { made_.warnings.push_back(std::move(text)); }

  void warn_of_events() {
    const std::string_view stacks =
        events_.has_functions
            ? "stacks are the operators and Python functions that ran, with the line at which each began"
        : events_.calls.empty()
            ? "it has no operators, so there are no stacks"
            : "stacks are the operators that ran, without Python functions (with_stack=True records them)";
    say(fmt::format("read from a trace of PyTorch's profiler: sizes are those of blocks, {}, and segments are made up "
                    "from addresses: they show nothing about the allocator",
                    stacks));
    if (events_.failed_requests > 0)
      say(fmt::format("the trace has {}, the first for {}; it does not show how much memory was free then",
                      format_counted(events_.failed_requests, "out-of-memory error"),
                      format_bytes(events_.first_failed_bytes)));
    if (events_.cpu_events > 0)
      say(fmt::format("{} of the CPU left out", format_counted(events_.cpu_events, "memory event")));
    if (events_.left_out_events > 0)
      say(fmt::format("{} left out: without a time, an address or a size that is possible",
                      format_counted(events_.left_out_events, "memory event")));
    if (are_stacks_missing_) say("some stacks are left out: they have more frames than the file has room for");
  }

  void warn_of_memory() {
    if (memory_.unplaced_bytes > 0)
      say(fmt::format("{} was allocated before the profiler began and is in use at its end, at unknown addresses",
                      format_bytes(memory_.unplaced_bytes)));
    if (memory_.unused_bytes > 0)
      say(fmt::format("{} of the {} that the trace reports as reserved is at unknown addresses",
                      format_bytes(memory_.unused_bytes), format_bytes(memory_.reserved_bytes)));
    if (memory_.has_returned)
      say("segments that are free and beyond the reserved memory that the trace reports, or all free ones if it "
          "reports none, count as returned after their last use");
    if (memory_.excess_bytes > 0)
      say(fmt::format("segments that are made up have {} more than the {} that the trace reports as reserved",
                      format_bytes(memory_.excess_bytes), format_bytes(memory_.reserved_bytes)));
    if (memory_.missing_frees > 0)
      say(fmt::format("{} missing in the trace (of threads without the profiler): placed before the next allocation at "
                      "the same addresses",
                      format_counted(memory_.missing_frees, "free is", "frees are")));
    if (memory_.left_out_frees > 0)
      say(fmt::format("{} of memory whose allocation the trace lacks left out",
                      format_counted(memory_.left_out_frees, "free")));
  }

  const Document& trace_;
  const ProfilerEvents& events_;
  ProfilerStacks stacks_;
  ProfilerMemory memory_;
  std::uint64_t frames_left_;
  bool are_stacks_missing_ = false;
  std::vector<Value> lists_; ///< by node
  HashMap<std::uint64_t, Value> frames_by_name_;
  ProfilerSnapshot made_;
};

} // namespace

ProfilerSnapshot profiler_snapshot(const Document& trace, std::uint64_t file_bytes) {
  const ProfilerEvents events = profiler_events(trace);
  if (events.memory.empty())
    throw_other_file(events.left_out_events == 0
                         ? "a trace of a profiler without memory events"
                         : "a trace of a profiler whose memory events lack an address, a time or a size",
                     "record it with torch.profiler.profile(profile_memory=True), or a snapshot with memviz run -- "
                     "python train.py, which has segments and Python lines as well");
  return SnapshotMaker(trace, events, file_bytes).make();
}

} // namespace memviz
