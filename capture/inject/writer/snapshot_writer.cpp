#include "snapshot_writer.hpp"

#include "pickle_stream.hpp"
#include "whole_file.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memviz::capture {
namespace {

struct Sums {
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  std::uint64_t requested = 0;
};

/// As PyTorch counts: blocks whose free is pending are active and not allocated; an inactive block's requested size is
/// that of an earlier owner.
Sums sums_of(const std::vector<BlockData>& blocks) {
  Sums sums;
  for (const BlockData& block : blocks) {
    const std::string_view state = block.state;
    if (state == "inactive") continue;
    if (state == "active_allocated") sums.allocated += block.size;
    sums.active += block.size;
    sums.requested += block.requested_size;
  }
  return sums;
}

class Writer {
public:
  Writer(const SnapshotData& snapshot, std::ostream& out)
      : snapshot_(snapshot), pickle_(out), frames_(snapshot.frames.size()), stacks_(snapshot.stacks.size()) {}

  /// Events come first: their keys, which are the most frequent texts, then have short references.
  void write() {
    pickle_.begin_dict();
    pickle_.text("device_traces");
    write_list(snapshot_.traces, [this](const auto& events) {
      write_list(events, [this](const EventData& event) { write_event(event); });
    });
    pickle_.text("segments");
    write_list(snapshot_.segments, [this](const SegmentData& segment) { write_segment(segment); });
    pickle_.text("allocator_settings");
    write_settings();
    pickle_.text("external_annotations");
    write_list(snapshot_.annotations, [this](const AnnotationData& annotation) { write_annotation(annotation); });
    pickle_.end_dict();
    pickle_.finish();
  }

private:
  template <class Items, class WriteItem> void write_list(const Items& items, const WriteItem& write_item) {
    pickle_.begin_list();
    for (const auto& item : items)
      write_item(item);
    pickle_.end_list();
  }

  void natural(std::string_view key, std::uint64_t value) {
    pickle_.text(key);
    pickle_.natural(value);
  }
  void integer(std::string_view key, std::int64_t value) {
    pickle_.text(key);
    pickle_.integer(value);
  }
  void boolean(std::string_view key, bool value) {
    pickle_.text(key);
    pickle_.boolean(value);
  }
  void text(std::string_view key, std::string_view value) {
    pickle_.text(key);
    pickle_.text(value);
  }

  void write_event(const EventData& event) {
    pickle_.begin_dict();
    text("action", event.action);
    natural(std::string_view(event.action) == "oom" ? "device_free" : "addr", event.address);
    natural("size", event.size);
    integer("stream", event.stream);
    integer("time_us", event.time_us);
    text("compile_context", event.compile_context);
    text("user_metadata", event.user_metadata);
    write_pool("pool_id", event.pool);
    if (event.stack != kNoStack) write_stack(event.stack);
    pickle_.end_dict();
  }

  void write_segment(const SegmentData& segment) {
    const Sums sums = sums_of(segment.blocks);
    pickle_.begin_dict();
    integer("device", segment.device);
    natural("address", segment.address);
    natural("total_size", segment.total_size);
    natural("allocated_size", sums.allocated);
    natural("active_size", sums.active);
    natural("requested_size", sums.requested);
    integer("stream", segment.stream);
    text("segment_type", segment.is_large ? "large" : "small");
    write_pool("segment_pool_id", segment.pool);
    boolean("is_expandable", segment.is_expandable);
    write_stack(segment.stack);
    pickle_.text("blocks");
    write_list(segment.blocks, [this](const BlockData& block) { write_block(block); });
    pickle_.end_dict();
  }

  void write_block(const BlockData& block) {
    pickle_.begin_dict();
    natural("address", block.address);
    natural("size", block.size);
    natural("requested_size", block.requested_size);
    text("state", block.state);
    write_stack(block.stack);
    pickle_.end_dict();
  }

  void write_annotation(const AnnotationData& annotation) {
    pickle_.begin_dict();
    text("name", annotation.name);
    text("stage", annotation.stage);
    integer("device", annotation.device);
    integer("time_us", annotation.time_us);
    pickle_.end_dict();
  }

  void write_settings() {
    pickle_.begin_dict();
    for (const auto& [name, value] : snapshot_.settings) {
      pickle_.text(name);
      std::visit([this](const auto& held) { write_setting(held); }, value);
    }
    pickle_.end_dict();
  }
  void write_setting(bool value) { pickle_.boolean(value); }
  void write_setting(std::int64_t value) { pickle_.integer(value); }
  void write_setting(double value) { pickle_.real(value); }
  void write_setting(const std::string& value) { pickle_.text(value); }
  void write_setting(const std::vector<std::pair<std::string, std::int64_t>>& values) {
    pickle_.begin_dict();
    for (const auto& [name, value] : values)
      integer(name, value);
    pickle_.end_dict();
  }

  void write_pool(std::string_view key, const PoolId& pool) {
    pickle_.text(key);
    if (const auto known = pools_.find(pool); known != pools_.end()) return pickle_.reference(known->second);
    pickle_.pair(pool.first, pool.second);
    pools_.emplace(pool, pickle_.memoize());
  }

  void write_stack(StackIndex stack) {
    pickle_.text("frames");
    std::optional<MemoId>& written = stack == kNoStack ? no_stack_ : stacks_.at(stack);
    if (written) return pickle_.reference(*written);
    pickle_.begin_list();
    if (stack != kNoStack) {
      for (const std::uint32_t frame : snapshot_.stacks[stack])
        write_frame(frame);
    }
    pickle_.end_list();
    written = pickle_.memoize();
  }

  void write_frame(std::uint32_t index) {
    std::optional<MemoId>& written = frames_.at(index);
    if (written) return pickle_.reference(*written);
    const FrameData& frame = snapshot_.frames[index];
    pickle_.begin_dict();
    text("name", frame.name);
    text("filename", frame.filename);
    integer("line", frame.line);
    pickle_.end_dict();
    written = pickle_.memoize();
  }

  const SnapshotData& snapshot_;
  PickleStream pickle_;
  std::vector<std::optional<MemoId>> frames_;
  std::vector<std::optional<MemoId>> stacks_;
  std::optional<MemoId> no_stack_;
  std::map<PoolId, MemoId> pools_;
};

} // namespace

void write_snapshot(const SnapshotData& snapshot, std::ostream& out) {
  Writer(snapshot, out).write();
}

void write_snapshot_file(const SnapshotData& snapshot, const std::filesystem::path& path) {
  write_whole_file(path, [&](std::ostream& out) { write_snapshot(snapshot, out); });
}

} // namespace memviz::capture
