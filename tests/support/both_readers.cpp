#include "support/both_readers.hpp"

#include "memviz/error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <iterator>

namespace memviz::test {

namespace {

std::string stack_text(const FrameTable& frames, StackId stack) {
  if (stack == kNoContext) return "no context";
  std::string text;
  for (const FrameId frame : frames.stack(stack))
    text += fmt::format(" {}:{}:{}", frames.filename(frame), frames.frame(frame).line, frames.name(frame));
  return text;
}

void add_event(const FrameTable& frames, const Event& event, std::string& text) {
  fmt::format_to(
      std::back_inserter(text), "{} {} {:x} {} stream {} time {} context {} metadata {} {} pool {} [{}] [{}]\n",
      action_name(event.action), frames.text(event.action_text), event.address, event.size_bytes, event.stream,
      event.time_us ? std::to_string(*event.time_us) : "none", frames.text(event.compile_context),
      frames.text(event.user_metadata), frames.text(event.internal_metadata),
      event.pool ? fmt::format("{},{}", event.pool->first, event.pool->second) : "none",
      stack_text(frames, event.stack), stack_text(frames, event.forward_stack));
}

void add_segment(const Recording& snapshot, const Segment& segment, std::string& text) {
  fmt::format_to(std::back_inserter(text), "segment {} {:x} {} stream {} pool {},{} {} {} uncovered {} [{}]\n",
                 segment.device.value, segment.address, segment.total_bytes, segment.stream, segment.pool.first,
                 segment.pool.second, segment.is_expandable, segment.is_large ? int{*segment.is_large} : -1,
                 segment.uncovered_bytes, stack_text(snapshot.frames, segment.stack));
  for (const Block& block : snapshot.end.blocks_of(segment)) {
    fmt::format_to(std::back_inserter(text), "  block {:x} {} {} {} [{}]\n", block.address, block.size_bytes,
                   block.requested_bytes, state_name(block.state), stack_text(snapshot.frames, block.stack));
  }
}

void add_keepers(const Recording& snapshot, std::string& text) {
  const FrameTable& frames = snapshot.frames;
  const KeeperGraph& graph = snapshot.keepers;
  fmt::format_to(std::back_inserter(text), "keepers {} {} {} {} {}\n", graph.is_recorded, keeper_word(graph.limit),
                 graph.walked_objects, graph.walk_ms, graph.unreadable_objects);
  for (const KeeperObject& one : graph.objects)
    fmt::format_to(std::back_inserter(text), "  {} {} {}:{} {} {}\n", keeper_word(one.kind), frames.text(one.name),
                   frames.text(one.file), one.line, one.items ? std::to_string(*one.items) : "none",
                   one.hidden_tensors);
  for (const KeeperReference& one : graph.references)
    fmt::format_to(std::back_inserter(text), "  {} {} {} {} {}\n", one.from.value, keeper_word(one.how),
                   frames.text(one.label), one.index, one.to.value);
  for (const RootObject& one : graph.roots)
    fmt::format_to(std::back_inserter(text), "  root {} {}\n", keeper_word(one.kind), one.object.value);
  for (const KeptStorage& one : graph.storages)
    fmt::format_to(std::back_inserter(text), "  storage {} {} {:x} {}\n", one.object.value, one.device.value,
                   one.address, one.size_bytes);
  for (const CodePlace& one : graph.places)
    fmt::format_to(std::back_inserter(text), "  place {} {} {} {} {}:{}\n", one.root.value, frames.text(one.variable),
                   keeper_word(one.how), frames.text(one.function), frames.text(one.file), one.line);
}

/// Returns the recording as lines of text, with ids resolved: two recordings are the same if their texts are.
std::string snapshot_text(const Recording& snapshot) {
  const FrameTable& frames = snapshot.frames;
  std::string text = snapshot.origin.encoding + ", " + snapshot.origin.generation + '\n';
  for (const Segment& segment : snapshot.end.segments)
    add_segment(snapshot, segment, text);
  for (const auto& [device, events] : snapshot.traces) {
    fmt::format_to(std::back_inserter(text), "device {}: {} events\n", device.value, snapshot.event_counts[device]);
    for (std::size_t i = 0; i < events.size(); ++i)
      add_event(frames, events[i], text);
  }
  for (const Annotation& annotation : snapshot.annotations) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {}", frames.text(annotation.name), frames.text(annotation.stage),
                   annotation.device.value, annotation.time_us);
    for (const auto& [key, value] : annotation.metadata)
      fmt::format_to(std::back_inserter(text), " {}={}", frames.text(key), frames.text(value));
    text += '\n';
  }
  for (const auto& [key, value] : snapshot.settings)
    fmt::format_to(std::back_inserter(text), "{} = {}\n", frames.text(key), frames.text(value));
  for (const DeclaredMemory& one : snapshot.declared)
    fmt::format_to(std::back_inserter(text), "declared {} {:x} {} {} {}\n", one.device.value, one.address,
                   one.size_bytes, kind_name(one.kind), frames.text(one.name));
  for (const MeasuredDevice& one : snapshot.measured)
    fmt::format_to(std::back_inserter(text), "measured {} {} {} {} {}\n", one.device.value, one.total_bytes.value_or(0),
                   one.own_outside_bytes.value_or(0), one.other_processes.value_or(0),
                   one.other_processes_bytes.value_or(0));
  add_keepers(snapshot, text);
  for (const std::string& warning : snapshot.warnings)
    text += warning + '\n';
  return text;
}

} // namespace

Reading reading_of(std::string_view bytes, ReadOptions options) {
  Reading reading;
  options.on_reader = [&](const ReadBy& read_by) {
    CHECK_FALSE(reading.read_by); // reported once
    reading.read_by = read_by;
  };
  try {
    reading.outcome = snapshot_text(read_snapshot(bytes, options));
  } catch (const Error& error) {
    reading.outcome = error.what();
  }
  return reading;
}

ReadBy check_same(std::string_view bytes) {
  ReadOptions plain;
  plain.stream = false;
  const std::string whole = reading_of(bytes, plain).outcome;
  ReadBy read_by;
  for (const unsigned threads : {1U, 2U, 3U}) {
    CAPTURE(threads);
    ReadOptions fast;
    fast.threads = threads;
    const Reading reading = reading_of(bytes, fast);
    // Compared without CHECK's own printing: the texts may have megabytes.
    const bool is_same = reading.outcome == whole;
    CHECK(is_same);
    read_by = reading.read_by.value_or(ReadBy());
  }
  return read_by;
}

} // namespace memviz::test
