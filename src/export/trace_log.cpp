#include "analysis/replay/device_annotations.hpp"
#include "analysis/replay/event_pools.hpp"
#include "analysis/trace/trace_filter.hpp"
#include "base/saturating.hpp"
#include "export/text_limit.hpp"
#include "export/trace_lines.hpp"
#include "memviz/error.hpp"
#include "memviz/trace.hpp"

#include <set>
#include <span>

namespace memviz {

namespace {

[[noreturn]] void fail_changed() {
  throw Error("its events differ when they are read again: the file changed");
}

} // namespace

void TraceSurvey::take(DeviceId device, std::span<const Event> events) {
  Device& found = devices_[device];
  for (const Event& event : events) {
    if (event.time_us) {
      if (!found.first_us) found.first_us = event.time_us;
      found.last_us = event.time_us;
    }
    switch (event.action) {
    case Action::segment_alloc:
    case Action::segment_free:
    case Action::segment_map:
    case Action::segment_unmap:
      found.segment_changes.push_back({found.events, event.address, saturating_sum(event.address, event.size_bytes)});
      break;
    default: break;
    }
    ++found.events;
  }
}

void TraceSurvey::restart() {
  devices_.clear();
  ++restarts_;
}

const TraceSurvey::Device& TraceSurvey::device(DeviceId device) const {
  static const Device none;
  const auto found = devices_.find(device);
  return found == devices_.end() ? none : found->second;
}

class TraceLog::Log {
public:
  Log(const Recording& recording, const TraceSurvey& survey, const TraceOptions& options,
      std::function<void(std::string_view)> write)
      : recording_(recording), survey_(survey), options_(options), write_(std::move(write)),
        sieve_(options_.filter, recording.frames), lines_(lines_for(options_.format)),
        limit_(recording.origin.size_bytes,
               options.stacks ? "omit --stacks, or use --from and --to, to write less" : "--from and --to write less"),
        annotations_(recording) {}

  /// The reader starts again as often as in the first pass, before the events that count.
  [[nodiscard]] bool is_rehearsal() const { return restarts_ < survey_.restarts(); }

  void restart() {
    if (!is_rehearsal()) fail_changed();
    ++restarts_;
  }

  void take(DeviceId device, const Event& event) {
    if (!device_ || device_->number != device) open(device);
    const std::uint64_t index = device_->count.events++;
    check(event);
    const auto life = device_->names.take(index, event);
    if (event.time_us) add_annotations_until(*event.time_us, index);
    if (!sieve_.wants(device, index, event, life)) return;
    ++device_->count.shown;
    ++shown_;
    lines_->add(out_, {device, index, event, life, device_->pools.pool(index, event)});
    flush(kTracePieceBytes);
  }

  std::uint64_t finish() {
    close();
    std::set<DeviceId> rest;
    for (const DeviceId device : recording_.devices())
      rest.insert(device);
    for (const Annotation& annotation : recording_.annotations)
      rest.insert(annotation.device);
    for (const DeviceId device : rest) {
      if (seen_.contains(device) || !sieve_.wants_device(device)) continue;
      open(device);
      close();
    }
    flush(1);
    return shown_;
  }

  [[nodiscard]] bool wants_device(DeviceId device) const { return sieve_.wants_device(device); }

private:
  struct Device {
    DeviceId number;
    AllocationNames names;
    EventPools pools;
    std::span<const Annotation* const> annotations;
    std::size_t next_annotation = 0;
    TraceCount count;
  };

  void open(DeviceId device) {
    close();
    if (!seen_.insert(device).second) fail_changed();
    const TraceSurvey::Device& survey = survey_.device(device);
    device_ = std::make_unique<Device>(
        Device{device, {}, EventPools(recording_.end, device, survey), annotations_.of(device), 0, {}});
    lines_->begin(out_, device, survey);
  }

  void close() {
    if (!device_) return;
    if (device_->count.events != survey_.device(device_->number).events) fail_changed();
    add_annotations_until(std::numeric_limits<std::int64_t>::max(), device_->count.events);
    lines_->end(out_, device_->count);
    device_.reset();
  }

  /// The tables are those of the first pass.
  void check(const Event& event) const {
    const FrameTable& frames = recording_.frames;
    const auto is_text = [&](StringId text) { return text.value < frames.string_count(); };
    const auto is_stack = [&](StackId stack) { return stack.value < frames.stack_count(); };
    const bool is_known = is_stack(event.stack) && is_stack(event.forward_stack) && is_text(event.action_text) &&
                          is_text(event.compile_context) && is_text(event.user_metadata) &&
                          is_text(event.internal_metadata);
    if (!is_known) fail_changed();
  }

  void add_annotations_until(std::int64_t time_us, std::uint64_t next_event) {
    for (; device_->next_annotation < device_->annotations.size(); ++device_->next_annotation) {
      const Annotation& annotation = *device_->annotations[device_->next_annotation];
      if (annotation.time_us > time_us) break;
      if (sieve_.wants(annotation, next_event)) lines_->add(out_, annotation);
      flush(kTracePieceBytes);
    }
  }

  void flush(std::size_t at_least) {
    if (out_.size() < at_least) return;
    write(out_);
    out_.clear();
  }

  void write(std::string_view piece) {
    limit_.add(piece.size());
    write_(piece);
  }

  [[nodiscard]] std::unique_ptr<TraceLines> lines_for(TraceFormat format) {
    const auto write_piece = [this](std::string_view piece) { write(piece); };
    return format == TraceFormat::text ? text_trace_lines(recording_, options_, write_piece)
                                       : json_trace_lines(recording_, options_, write_piece);
  }

  const Recording& recording_;
  const TraceSurvey& survey_;
  TraceOptions options_;
  std::function<void(std::string_view)> write_;
  TraceSieve sieve_;
  std::unique_ptr<TraceLines> lines_;
  TextLimit limit_;
  AnnotationsByDevice annotations_;
  std::unique_ptr<Device> device_; ///< whose events are being read
  std::set<DeviceId> seen_;
  std::string out_;
  std::uint64_t shown_ = 0;
  unsigned restarts_ = 0;
};

TraceLog::TraceLog(const Recording& recording, const TraceSurvey& survey, const TraceOptions& options,
                   std::function<void(std::string_view)> write)
    : log_(std::make_unique<Log>(recording, survey, options, std::move(write))) {
}

TraceLog::~TraceLog() = default;

void TraceLog::take(DeviceId device, std::span<const Event> events) {
  if (log_->is_rehearsal() || !log_->wants_device(device)) return;
  for (const Event& event : events)
    log_->take(device, event);
}

void TraceLog::restart() {
  log_->restart();
}

std::uint64_t TraceLog::finish() {
  return log_->finish();
}

} // namespace memviz
