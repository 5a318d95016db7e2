#include "recorder.hpp"

#include "cpu_allocator_watch.hpp"
#include "cpu_backend.hpp"
#include "oom_file_name.hpp"
#include "snapshot_writer.hpp"

#ifdef MEMVIZ_CAPTURE_CUDA
#include "cuda/cuda_backend.hpp"
#endif

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
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

std::unique_ptr<Backend> make_backend(const RecordingOptions& options) {
#ifdef MEMVIZ_CAPTURE_CUDA
  if (options.device.is_cuda()) return std::make_unique<CudaBackend>(options);
#endif
  return std::make_unique<CpuBackend>(options);
}

} // namespace

Backend::Backend(std::filesystem::path oom_directory) : oom_directory_(std::move(oom_directory)), process_(::getpid()) {
}

bool Backend::is_of_this_process() const {
  return process_ == ::getpid();
}

void Backend::dump_out_of_memory() noexcept try {
  if (oom_directory_.empty() || dumps_.fetch_add(1) >= kMaxDumps) return;
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

void report_out_of_memory(std::uint64_t bytes) noexcept {
  report([bytes](Backend& backend) {
    backend.note_out_of_memory(bytes);
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
  if (is_recording()) throw std::runtime_error("this Recorder records already: stop() it first");
  if (running().backend != nullptr) throw std::runtime_error("another Recorder is recording: only one can at a time");
  backend_ = make_backend(checked);
  running().backend = backend_.get();
}

void Recorder::stop() {
  const Inside inside;
  const std::lock_guard lock(running().mutex);
  if (is_recording()) {
    running().backend = nullptr;
    backend_->stop();
  }
  backend_.reset();
}

bool Recorder::is_recording() const {
  return backend_ != nullptr && backend_->is_of_this_process();
}

void Recorder::dump(const std::filesystem::path& path) const {
  if (!is_recording()) throw std::runtime_error("nothing to dump to " + path.string() + ": start() was not called");
  write_snapshot_file(backend_->snapshot(), path);
}

} // namespace memviz::capture
