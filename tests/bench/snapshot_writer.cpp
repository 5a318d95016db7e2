#include "snapshot_writer.hpp"

#include "device.hpp"
#include "frame_lists.hpp"
#include "pickler.hpp"
#include "program.hpp"
#include "texts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memviz::bench {

namespace {

constexpr std::uint32_t kDevices = 2;

struct Totals {
  std::int64_t allocated = 0;
  std::int64_t active = 0;
  std::int64_t requested = 0;
};

Totals totals_of(const Segment& segment) {
  Totals sum;
  for (const Block& block : segment.blocks) {
    if (block.state == State::inactive) continue;
    const auto size = static_cast<std::int64_t>(block.size);
    if (block.state == State::active_allocated) sum.allocated += size;
    sum.active += size;
    sum.requested += static_cast<std::int64_t>(block.requested);
  }
  return sum;
}

class SnapshotWriter {
public:
  SnapshotWriter(const SnapshotOptions& options, std::FILE* file)
      : options_(options), program_(make_program(options.seed, options.max_depth)),
        pickler_(options.writer == Writer::python ? make_python_pickler(file) : make_cpp_pickler(file)),
        lists_(options.shape, program_, *pickler_) {}

  void write() {
    const auto segments = segments_at_the_end();
    Shared whole;
    pickler_->open_dict(4, &whole);
    pickler_->text(texts_.segments);
    write_segments(segments);
    pickler_->text(texts_.device_traces);
    write_traces();
    pickler_->text(texts_.settings);
    write_settings();
    pickler_->text(texts_.annotations);
    write_annotations();
    pickler_->close();
    pickler_->stop();
  }

private:
  [[nodiscard]] std::uint64_t events_of(std::uint32_t device) const {
    const std::uint64_t second = options_.events / 8;
    return device == 0 ? options_.events - second : second;
  }

  std::vector<std::vector<Segment>> segments_at_the_end() {
    std::vector<std::vector<Segment>> made;
    for (std::uint32_t index = 0; index < kDevices; ++index) {
      Device device(index, options_.seed, program_);
      for (std::uint64_t left = events_of(index); left > 0; --left)
        lists_.count(device.next());
      made.push_back(device.segments());
    }
    lists_.end_counting();
    return made;
  }

  void write_segments(const std::vector<std::vector<Segment>>& devices) {
    std::uint64_t count = 0;
    for (const auto& segments : devices)
      count += segments.size();
    Shared list;
    pickler_->open_list(count, &list);
    for (std::uint32_t device = 0; device < kDevices; ++device)
      for (const Segment& segment : devices[device])
        write_segment(device, segment);
    pickler_->close();
  }

  void write_segment(std::uint32_t device, const Segment& segment) {
    const Totals totals = totals_of(segment);
    Shared place;
    pickler_->open_dict(12, segment.list.exists ? &place : nullptr);
    write(texts_.device, device);
    write(texts_.address, segment.address);
    write(texts_.total_size, segment.total);
    write(texts_.allocated_size, totals.allocated);
    write(texts_.active_size, totals.active);
    write(texts_.requested_size, totals.requested);
    write(texts_.stream, segment.stream);
    pickler_->text(texts_.segment_type);
    pickler_->text(segment.is_large ? texts_.large : texts_.small);
    pickler_->text(texts_.segment_pool_id);
    pickler_->pair(segment.pool, 0);
    pickler_->text(texts_.is_expandable);
    pickler_->boolean(segment.is_expandable);
    // PyTorch adds the stacks after everything else; without one the key is there at once.
    if (!segment.list.exists) write_frames(segment.list);
    pickler_->text(texts_.blocks);
    pickler_->open_list(segment.blocks.size());
    for (const Block& block : segment.blocks)
      write_block(block);
    pickler_->close();
    if (segment.list.exists) write_frames(segment.list);
    pickler_->close();
  }

  void write_block(const Block& block) {
    Shared place;
    pickler_->open_dict(5, block.list.exists ? &place : nullptr);
    write(texts_.address, block.address);
    write(texts_.size, block.size);
    write(texts_.requested_size, block.requested);
    pickler_->text(texts_.state);
    pickler_->text(texts_.states[static_cast<std::size_t>(block.state)]);
    write_frames(block.list);
    pickler_->close();
  }

  void write_frames(const List& list) {
    pickler_->text(texts_.frames);
    lists_.write_kept(list);
  }

  void write_traces() {
    Shared list;
    pickler_->open_list(kDevices, &list);
    for (std::uint32_t index = 0; index < kDevices; ++index) {
      Device device(index, options_.seed, program_);
      pickler_->open_list(events_of(index));
      for (std::uint64_t left = events_of(index); left > 0; --left)
        write_event(device.next());
      pickler_->close();
    }
    pickler_->close();
  }

  void write_event(const Event& event) {
    const auto list = lists_.list_of(event);
    const bool is_newest = options_.shape != Shape::shared;
    // PyTorch knows the forward pass of some of what a backward pass allocates.
    const bool has_forward = is_newest && event.action == Action::alloc && event.number % 64 == 5;
    Shared place;
    pickler_->open_dict(7U + (is_newest ? 1U : 0U) + (has_forward ? 1U : 0U) + (list ? 1U : 0U),
                        list ? &place : nullptr);
    pickler_->text(texts_.action);
    pickler_->text(texts_.actions[static_cast<std::size_t>(event.action)]);
    write(texts_.addr, event.address);
    write(texts_.size, event.size);
    write(texts_.stream, event.stream);
    write(texts_.time_us, event.time_us);
    pickler_->text(texts_.compile_context);
    if (is_newest)
      pickler_->new_text(texts_.not_available.text);
    else
      pickler_->text(texts_.not_available);
    pickler_->text(texts_.user_metadata);
    pickler_->text(texts_.empty);
    if (is_newest) {
      pickler_->text(texts_.pool_id);
      pickler_->pair(event.pool, 0);
    }
    if (has_forward) write_forward_frames(event);
    if (list) {
      pickler_->text(texts_.frames);
      lists_.write(event, *list);
    }
    pickler_->close();
  }

  void write_forward_frames(const Event& event) {
    const auto line = static_cast<unsigned>(event.number % 997);
    pickler_->text(texts_.forward_frames);
    pickler_->open_list(2);
    pickler_->new_text("layers.py:" + std::to_string(line) + " forward");
    pickler_->new_text("train.py:" + std::to_string(line % 7) + " step");
    pickler_->close();
  }

  void write_settings();
  void write_annotations();

  template <class Number> void write(SharedText& key, Number value) {
    pickler_->text(key);
    pickler_->integer(static_cast<std::int64_t>(value));
  }
  void write_new(std::string_view key, std::int64_t value) {
    pickler_->new_text(key);
    pickler_->integer(value);
  }
  void write_flag(std::string_view key, bool value) {
    pickler_->new_text(key);
    pickler_->boolean(value);
  }

  SnapshotOptions options_;
  Program program_;
  Texts texts_;
  std::unique_ptr<Pickler> pickler_;
  FrameLists lists_;
};

void SnapshotWriter::write_settings() {
  const bool is_newest = options_.shape != Shape::shared;
  Shared settings;
  pickler_->open_dict(is_newest ? 11 : 9, &settings);
  pickler_->new_text("PYTORCH_CUDA_ALLOC_CONF");
  pickler_->new_text("expandable_segments:True");
  write_new("max_split_size", -1);
  pickler_->new_text("garbage_collection_threshold");
  pickler_->real(0);
  write_flag("expandable_segments", true);
  write_new("pinned_num_register_threads", 1);
  write_flag("release_lock_on_cudamalloc", false);
  write_flag("pinned_use_cuda_host_register", false);
  write_flag("graph_capture_record_stream_reuse", false);
  pickler_->new_text("roundup_power2_divisions");
  Shared divisions;
  pickler_->open_dict(16, &divisions);
  for (unsigned power = 0; power < 16; ++power)
    write_new(std::to_string(1U << power), 0);
  pickler_->close();
  if (is_newest) {
    write_flag("trace_alloc_overflowed", false);
    write_new("trace_alloc_max_entries", static_cast<std::int64_t>(options_.events));
  }
  pickler_->close();
}

/// Each step of the optimizer, as its profiler hook marks it.
void SnapshotWriter::write_annotations() {
  constexpr std::int64_t kSteps = 50;
  Shared annotations;
  pickler_->open_list(2 * kSteps, &annotations);
  for (std::int64_t i = 0; i < 2 * kSteps; ++i) {
    pickler_->open_dict(4);
    pickler_->new_text("stage");
    pickler_->new_text(i % 2 == 0 ? "START" : "END");
    pickler_->new_text("name");
    pickler_->new_text("Optimizer.step#AdamW.step");
    write(texts_.device, 0);
    write(texts_.time_us, 1'784'205'149'400'000 + i * 70'000);
    pickler_->close();
  }
  pickler_->close();
}

} // namespace

void write_snapshot(const SnapshotOptions& options, std::FILE* file) {
  SnapshotWriter(options, file).write();
}

} // namespace memviz::bench
