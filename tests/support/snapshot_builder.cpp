#include "support/snapshot_builder.hpp"

namespace memviz::test {
namespace {

PythonItems& items_of(const PythonValue& value) {
  return *std::get<PythonList>(value.value).items;
}

} // namespace

PythonValue frames_of(const Stack& stack) {
  PythonItems frames;
  for (const std::string& text : stack) {
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    frames.push_back(dict({{"name", text.substr(second + 1)},
                           {"filename", text.substr(0, first)},
                           {"line", std::stoi(text.substr(first + 1, second - first - 1))}}));
  }
  return list(std::move(frames));
}

SegmentBuilder& SegmentBuilder::add(std::uint64_t size, std::uint64_t requested, const char* state,
                                    const Stack& stack) {
  block(dict({{"address", address_},
              {"size", size},
              {"requested_size", requested},
              {"state", state},
              {"frames", frames_of(stack)}}));
  address_ += size;
  return *this;
}

SegmentBuilder& SegmentBuilder::active(std::uint64_t size, std::uint64_t requested, const Stack& stack) {
  return add(size, requested, "active_allocated", stack);
}

SegmentBuilder& SegmentBuilder::pending(std::uint64_t size, std::uint64_t requested, const Stack& stack) {
  return add(size, requested, "active_pending_free", stack);
}

SegmentBuilder& SegmentBuilder::inactive(std::uint64_t size, std::uint64_t stale_requested) {
  return add(size, stale_requested, "inactive", {});
}

SegmentBuilder& SegmentBuilder::block(PythonValue block) {
  items_of(blocks_).push_back(std::move(block));
  return *this;
}

SegmentBuilder& SegmentBuilder::set(std::string_view key, PythonValue value) {
  segment_.set(key, std::move(value));
  return *this;
}

SegmentBuilder SnapshotBuilder::segment(std::uint64_t address, std::uint64_t total_size, int device,
                                        std::int64_t stream) {
  const PythonValue blocks = list();
  const PythonValue segment = dict({{"device", device},
                                    {"address", address},
                                    {"total_size", total_size},
                                    {"stream", stream},
                                    {"segment_type", "large"},
                                    {"segment_pool_id", tuple({0, 0})},
                                    {"is_expandable", false},
                                    {"frames", list()},
                                    {"blocks", blocks}});
  items_of(segments_).push_back(segment);
  return {segment, blocks, address};
}

SnapshotBuilder& SnapshotBuilder::event(PythonValue event, int device) {
  PythonItems& traces = items_of(traces_);
  while (traces.size() <= static_cast<std::size_t>(device))
    traces.push_back(list());
  items_of(traces[static_cast<std::size_t>(device)]).push_back(std::move(event));
  return *this;
}

SnapshotBuilder& SnapshotBuilder::event(std::string_view action, std::uint64_t address, std::uint64_t size,
                                        const Stack& stack, int device) {
  return event(dict({{"action", std::string(action)},
                     {"addr", address},
                     {"size", size},
                     {"stream", 0},
                     {"time_us", 1'700'000'000'000'000},
                     {"frames", frames_of(stack)}}),
               device);
}

SnapshotBuilder& SnapshotBuilder::free(std::uint64_t address, std::uint64_t size) {
  event("free_requested", address, size);
  return event("free_completed", address, size);
}

SnapshotBuilder& SnapshotBuilder::host_block(std::uint64_t address, std::uint64_t size, bool is_active,
                                             const Stack& stack) {
  const PythonValue blocks = list();
  const PythonValue segment = dict({{"device", -1},
                                    {"address", address},
                                    {"total_size", size},
                                    {"stream", 0},
                                    {"segment_type", "small"},
                                    {"segment_pool_id", tuple({0, 0})},
                                    {"is_expandable", false},
                                    {"frames", frames_of(stack)},
                                    {"blocks", blocks}});
  SegmentBuilder builder(segment, blocks, address);
  if (is_active)
    builder.active(size, size, stack);
  else
    builder.inactive(size, size);
  items_of(host_segments_).push_back(segment);
  return set("host_segments", host_segments_);
}

SnapshotBuilder& SnapshotBuilder::host_event(std::string_view action, std::uint64_t address, std::uint64_t size,
                                             const Stack& stack) {
  items_of(host_trace_)
      .push_back(dict({{"action", std::string(action)},
                       {"addr", address},
                       {"size", size},
                       {"stream", 0},
                       {"time_us", 1'700'000'000'000'000},
                       {"compile_context", ""},
                       {"user_metadata", ""},
                       {"pool_id", tuple({0, 0})},
                       {"frames", frames_of(stack)}}));
  return set("host_traces", host_trace_);
}

SnapshotBuilder& SnapshotBuilder::set(std::string_view key, PythonValue value) {
  root_.set(key, std::move(value));
  return *this;
}

} // namespace memviz::test
