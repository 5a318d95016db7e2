#include "support/small_snapshot.hpp"

#include <string>
#include <utility>

namespace memviz::test {

SmallSnapshot& SmallSnapshot::segment(std::uint64_t address, std::uint64_t total_bytes, std::int64_t stream,
                                      std::uint32_t device) {
  Segment segment;
  segment.address = address;
  segment.total_bytes = total_bytes;
  segment.stream = stream;
  segment.device = {device};
  segment.is_large = true;
  segment.first_block = static_cast<std::uint32_t>(snapshot_.end.blocks.size());
  segment.uncovered_bytes = total_bytes;
  snapshot_.end.segments.push_back(segment);
  return *this;
}

SmallSnapshot& SmallSnapshot::pool(PoolId pool) {
  snapshot_.end.segments.back().pool = pool;
  return *this;
}

SmallSnapshot& SmallSnapshot::active(std::uint64_t size_bytes, std::uint64_t requested_bytes, StackId stack) {
  add_block({0, size_bytes, requested_bytes, BlockState::active_allocated, stack});
  return *this;
}

SmallSnapshot& SmallSnapshot::pending(std::uint64_t size_bytes, std::uint64_t requested_bytes, StackId stack) {
  add_block({0, size_bytes, requested_bytes, BlockState::active_pending_free, stack});
  return *this;
}

SmallSnapshot& SmallSnapshot::inactive(std::uint64_t size_bytes) {
  add_block({0, size_bytes, 0, BlockState::inactive, kNoFrames});
  return *this;
}

SmallSnapshot& SmallSnapshot::event(Action action, std::uint64_t address, std::uint64_t size_bytes, StackId stack,
                                    std::uint32_t device) {
  Event event;
  event.action = action;
  event.address = address;
  event.size_bytes = size_bytes;
  event.stack = stack;
  event.time_us = time_us_;
  snapshot_.traces.make({device}).push(event);
  ++snapshot_.event_counts.make({device});
  return *this;
}

SmallSnapshot& SmallSnapshot::annotate(std::uint64_t address, std::string_view text) {
  Event event;
  event.action = Action::annotate;
  event.address = address;
  event.user_metadata = snapshot_.frames.intern(text);
  event.time_us = time_us_;
  snapshot_.traces.make({0}).push(event);
  ++snapshot_.event_counts.make({0});
  return *this;
}

SmallSnapshot& SmallSnapshot::time(std::int64_t time_us) {
  time_us_ = time_us;
  return *this;
}

SmallSnapshot& SmallSnapshot::mark(std::string_view name, std::uint32_t device) {
  Annotation annotation;
  annotation.name = snapshot_.frames.intern(name);
  annotation.stage = snapshot_.frames.intern("START");
  annotation.device = {device};
  annotation.time_us = time_us_.value_or(0);
  snapshot_.annotations.push_back(annotation);
  return *this;
}

SmallSnapshot& SmallSnapshot::setting(std::string_view name, std::string_view value) {
  snapshot_.settings.emplace_back(snapshot_.frames.intern(name), snapshot_.frames.intern(value));
  return *this;
}

SmallSnapshot& SmallSnapshot::warning(std::string_view text) {
  snapshot_.warnings.emplace_back(text);
  return *this;
}

StackId SmallSnapshot::stack(const std::vector<std::string_view>& frames) {
  std::vector<FrameId> innermost_first;
  for (auto text = frames.rbegin(); text != frames.rend(); ++text) {
    const std::size_t line = text->find(':');
    const std::size_t name = text->find(':', line + 1);
    Frame frame;
    frame.filename = snapshot_.frames.intern(text->substr(0, line));
    frame.line = std::stoll(std::string(text->substr(line + 1, name - line - 1)));
    frame.name = snapshot_.frames.intern(text->substr(name + 1));
    innermost_first.push_back(snapshot_.frames.add_frame(frame));
  }
  return snapshot_.frames.add_stack(innermost_first);
}

Recording SmallSnapshot::take() {
  snapshot_.origin.device_kind = device_kind_of(snapshot_);
  return std::move(snapshot_);
}

void SmallSnapshot::add_block(const Block& block) {
  Segment& segment = snapshot_.end.segments.back();
  snapshot_.end.blocks.push_back(block);
  snapshot_.end.blocks.back().address = segment.address + segment.total_bytes - segment.uncovered_bytes;
  ++segment.block_count;
  segment.uncovered_bytes -= block.size_bytes;
}

} // namespace memviz::test
