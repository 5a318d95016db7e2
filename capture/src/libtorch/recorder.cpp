#include "memviz/capture/recorder.hpp"

#include "declared_memory.hpp"
#include "environment.hpp"
#include "named_modules.hpp"
#include "recorder_options.hpp"
#include "rehearsal_mark.hpp"
#include "whole_file.hpp"

#ifdef MEMVIZ_CAPTURE_CUDA
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/cuda/memory_snapshot.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

namespace memviz::capture {
namespace {

/// The process that records; a forked child is a different one. 0: none.
std::atomic<pid_t> recording_process = 0;

/// The number of snapshots that the running recording may still write when memory runs out.
struct OomDumps {
  std::mutex mutex;
  std::filesystem::path directory;
  std::size_t left = 0;
};

/// Never destroyed: memory may run out after main() ends.
OomDumps& oom_dumps() {
  static auto* const instance = new OomDumps;
  return *instance;
}

/// The modules of the running recording.
class NamedModules {
public:
  using References = std::vector<std::weak_ptr<torch::nn::Module>>;

  void set(References modules) {
    const std::lock_guard lock(mutex_);
    modules_ = std::move(modules);
  }
  [[nodiscard]] References get() const {
    const std::lock_guard lock(mutex_);
    return modules_;
  }

private:
  mutable std::mutex mutex_;
  References modules_;
};

/// Never destroyed, as oom_dumps().
NamedModules& named_modules() {
  static auto* const instance = new NamedModules;
  return *instance;
}

#ifdef MEMVIZ_CAPTURE_CUDA

namespace allocator = c10::cuda::CUDACachingAllocator;

/// Calls PyTorch's recorder with user scopes of every thread, if this LibTorch can: the parameter was added in 2.8.
template <class... Options> void record_history(const Options&... options) {
  if constexpr (requires { torch::cuda::_record_memory_history(options..., true, false, true); }) {
    torch::cuda::_record_memory_history(options..., /*clearHistory=*/true, /*compileContext=*/false,
                                        /*globalRecordAllocations=*/true);
  } else {
    torch::cuda::_record_memory_history(options...);
  }
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string snapshot() {
  std::string pickle = torch::cuda::_memory_snapshot_pickled();
  if (const auto memory = memory_of(named_modules().get()); !memory.empty()) add_declared_memory(memory, pickle);
  if (const std::optional<RehearsalMark> mark = rehearsal_of_process()) add_rehearsal_mark(*mark, pickle);
  return pickle;
}

void write_snapshot(const std::filesystem::path& path) {
  const std::string pickle = snapshot();
  write_whole_file(path,
                   [&](std::ostream& out) { out.write(pickle.data(), static_cast<std::streamsize>(pickle.size())); });
}

/// Writes a snapshot with a new name into `directory`. Throws std::runtime_error if it cannot be written.
std::filesystem::path dump_out_of_memory(const std::filesystem::path& directory) {
  EnvironmentOptions name;
  name.out = directory / "oom_rank%n_%h_pid%p_%t.pickle";
  name.rank = find_rank(::getenv);
  name.host = host_name();
  const std::filesystem::path path = reserve_snapshot_path(name, ::getpid(), "oom");
  try {
    write_snapshot(path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored); // the empty file that reserved the name
    throw;
  }
  return path;
}

void on_out_of_memory() noexcept try {
  if (recording_process != ::getpid()) return;
  OomDumps& dumps = oom_dumps();
  const std::lock_guard lock(dumps.mutex);
  if (dumps.left == 0) return;
  --dumps.left;
  std::filesystem::path path;
  try {
    path = dump_out_of_memory(dumps.directory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz: out of memory: %s; trying the folder for temporary files\n", error.what());
    path = dump_out_of_memory(std::filesystem::temp_directory_path());
  }
  std::fprintf(stderr, "memviz: out of memory: snapshot in %s\n", path.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "memviz: out of memory, and no snapshot: %s\n", error.what());
}

/// Attaches the observers of out-of-memory errors, once: the allocator never removes one.
template <class Allocator> void attach_observers(Allocator& cuda) {
  static std::once_flag once;
  std::call_once(once, [&cuda] {
    const auto observer = [](std::int64_t, std::size_t, std::size_t, std::size_t) { on_out_of_memory(); };
    cuda.attachOutOfMemoryObserver(observer);
    // An allocation rejected by a limit of the program, before CUDA is asked; since 2.13.
    if constexpr (requires { cuda.attachOomRejectionObserver(observer); }) cuda.attachOomRejectionObserver(observer);
  });
}

void start_recording(const RecorderOptions& options) {
  // Initializes CUDA and the allocator, in every version of LibTorch.
  at::empty({0}, at::TensorOptions(options.device.value_or(c10::Device(c10::kCUDA))));
  if (const std::string name = allocator::name(); name != "native") {
    throw std::runtime_error("cannot record: the CUDA allocator \"" + name +
                             "\" keeps no history (backend:native in PYTORCH_CUDA_ALLOC_CONF does)");
  }
  attach_observers(*allocator::get());
  record_history(std::optional(options.enabled), unless_empty(options.context), options.stacks, options.max_entries);
}

void stop_recording() {
  const std::optional<std::string> nothing;
  // First without stacks: PyTorch removes the function that gathers them before it records that none are wanted.
  record_history(std::optional<std::string>("state"), nothing, std::string("python"), std::size_t{1});
  record_history(nothing, nothing, std::string("python"), std::size_t{1});
}

#else

[[noreturn]] void refuse() {
  throw std::runtime_error("cannot record: this LibTorch has no CUDA");
}
void write_snapshot(const std::filesystem::path&) {
  refuse();
}
void start_recording(const RecorderOptions&) {
  refuse();
}
void stop_recording() {
}

#endif

void set_oom_dumps(const RecorderOptions& options) {
  OomDumps& dumps = oom_dumps();
  const std::lock_guard lock(dumps.mutex);
  dumps.directory = options.oom_directory;
  dumps.left = options.oom_directory.empty() ? 0 : options.oom_dumps;
}

} // namespace

Recorder::~Recorder() {
  try {
    stop();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz: %s\n", error.what());
  }
}

void Recorder::start(const RecorderOptions& options) {
  check_options(options);
  const pid_t process = ::getpid();
  if (process_ == process) throw std::runtime_error("this Recorder is recording: call stop() first");
  if (recording_process.exchange(process) == process) {
    throw std::runtime_error("another Recorder is recording: only one can at a time");
  }
  try {
    start_recording(options);
  } catch (...) {
    recording_process = 0;
    throw;
  }
  set_oom_dumps(options);
  named_modules().set(options.names);
  process_ = process;
}

void Recorder::stop() {
  if (process_.exchange(0) != ::getpid()) return;
  set_oom_dumps({});
  named_modules().set({});
  stop_recording();
  recording_process = 0;
}

bool Recorder::is_recording() const {
  return process_ == ::getpid();
}

void Recorder::dump(const std::filesystem::path& path) const {
  if (!is_recording()) throw std::runtime_error("nothing to dump to " + path.string() + ": start() was not called");
  write_snapshot(path);
}

} // namespace memviz::capture
