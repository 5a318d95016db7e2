#include "recorder.hpp"

#include "cpu_allocator_watch.hpp"
#include "cpu_backend.hpp"
#include "oom_file_name.hpp"
#include "snapshot_writer.hpp"

#ifdef MEMVIZ_CAPTURE_CUDA
#include "cuda/cuda_and_cpu_backend.hpp"
#include "cuda/cuda_backend.hpp"
#endif

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace memviz::capture {
namespace {

/// The running recording. Reports share the lock, so that one thread's dump does not hold up the others' annotations.
struct Running {
  std::shared_mutex mutex;
  Backend* backend = nullptr;
};

/// Never destroyed: threads may report after main() ends.
Running& running() {
  static auto* const instance = new Running;
  return *instance;
}

/// A report that comes while this thread starts, stops or reports already is dropped: it would wait for itself.
constinit thread_local bool is_inside = false;
class Inside {
public:
  Inside() { is_inside = true; }
  ~Inside() { is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

void lock_all() {
  running().mutex.lock();
  lock_cpu_watch();
}

void unlock_all() {
  unlock_cpu_watch();
  running().mutex.unlock();
}

void end_recording_in_child() {
  running().backend = nullptr;
  drop_cpu_listener();
  unlock_cpu_watch();
  // glibc's lock knows its writer by thread id, and the child's thread has another one than that which locked it.
  new (&running().mutex) std::shared_mutex;
}

template <class Report> void report(const Report& to_backend) noexcept {
  if (is_inside) return;
  const Inside inside;
  try {
    const std::shared_lock lock(running().mutex);
    if (running().backend != nullptr) to_backend(*running().backend);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz: %s\n", error.what());
  }
}

std::shared_ptr<Backend> make_backend(const RecordingOptions& options) {
#ifdef MEMVIZ_CAPTURE_CUDA
  if (options.device.is_cuda() && options.with_cpu) return std::make_shared<CudaAndCpuBackend>(options);
  if (options.device.is_cuda()) return std::make_shared<CudaBackend>(options);
#endif
  return std::make_shared<CpuBackend>(options);
}

bool has_allocations(const SnapshotData& snapshot) {
  const auto is_active = [](const BlockData& block) { return std::string_view(block.state) != "inactive"; };
  return std::any_of(snapshot.traces.begin(), snapshot.traces.end(),
                     [](const auto& trace) { return !trace.empty(); }) ||
         std::any_of(snapshot.segments.begin(), snapshot.segments.end(), [&](const SegmentData& segment) {
           return std::any_of(segment.blocks.begin(), segment.blocks.end(), is_active);
         });
}

} // namespace

Backend::Backend(std::filesystem::path oom_directory, std::size_t oom_dumps)
    : oom_directory_(std::move(oom_directory)), oom_dumps_(oom_dumps), process_(::getpid()) {
}

bool Backend::is_of_this_process() const {
  return process_ == ::getpid();
}

void Backend::dump_out_of_memory() noexcept try {
  if (oom_directory_.empty() || dumps_.fetch_add(1) >= oom_dumps_) return;
  const ReservedFile file = reserve_oom_file(oom_directory_);
  try {
    write_snapshot_file(snapshot(), file.path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(file.path, ignored);
    throw;
  }
  std::fprintf(stderr, "memviz: out of memory: snapshot in %s\n", file.path.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "memviz: out of memory, and no snapshot: %s\n", error.what());
} catch (...) {
  std::fprintf(stderr, "memviz: out of memory, and no snapshot\n");
}

void Backend::end() {
  const std::lock_guard lock(ending_);
  stop();
  has_ended_ = true;
}

std::optional<SnapshotData> Backend::snapshot_unless_ended() const {
  const std::shared_lock lock(ending_);
  if (has_ended_) return std::nullopt;
  return snapshot();
}

void report_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) noexcept {
  report([kind, bytes](Backend& backend) {
    backend.note_out_of_memory(kind, bytes);
    backend.dump_out_of_memory();
  });
}

void report_annotation(std::string_view name, const char* stage) noexcept {
  report([name, stage](Backend& backend) { backend.annotate(name, stage); });
}

void make_fork_safe() {
  static const int registered = ::pthread_atfork(lock_all, unlock_all, end_recording_in_child);
  if (registered != 0) throw std::runtime_error("cannot register handlers for fork");
}

Recorder::Recorder() = default;

Recorder::~Recorder() {
  try {
    stop();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz: %s\n", error.what());
  }
}

void Recorder::start(const RecorderOptions& options) {
  const RecordingOptions checked = check_options(options);
  make_fork_safe();
  const Inside inside;
  const std::lock_guard lock(running().mutex);
  if (backend_ != nullptr && backend_->is_of_this_process()) {
    throw std::runtime_error("this Recorder records already: stop() it first");
  }
  if (running().backend != nullptr) throw std::runtime_error("another Recorder is recording: only one can at a time");
  backend_ = make_backend(checked);
  running().backend = backend_.get();
}

void Recorder::stop() {
  const Inside inside;
  const std::lock_guard lock(running().mutex);
  if (backend_ != nullptr && backend_->is_of_this_process()) {
    running().backend = nullptr;
    backend_->end();
  }
  backend_.reset();
}

std::shared_ptr<Backend> Recorder::recording() const {
  const std::shared_lock lock(running().mutex);
  return backend_ != nullptr && backend_->is_of_this_process() ? backend_ : nullptr;
}

bool Recorder::is_recording() const {
  return recording() != nullptr;
}

void Recorder::dump(const std::filesystem::path& path) const {
  const Inside inside;
  const std::shared_ptr<Backend> backend = recording();
  const std::optional<SnapshotData> snapshot = backend == nullptr ? std::nullopt : backend->snapshot_unless_ended();
  if (!snapshot) throw std::runtime_error("nothing to dump to " + path.string() + ": start() was not called");
  write_snapshot_file(*snapshot, path);
  if (!has_allocations(*snapshot)) {
    std::fprintf(stderr,
                 "memviz: %s: empty: no tensor was allocated on %s while it recorded (RecorderOptions::device and "
                 "with_cpu say what is recorded)\n",
                 path.c_str(), backend->recorded());
  }
}

} // namespace memviz::capture
