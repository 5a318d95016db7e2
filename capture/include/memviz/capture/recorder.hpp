#pragma once

// Records the allocations of a LibTorch program on CUDA devices, with PyTorch's own recorder
// (torch/csrc/cuda/memory_snapshot.h), and writes them as a PyTorch memory snapshot: the file that Python programs
// write with torch.cuda.memory._record_memory_history and _dump_snapshot, and that memviz and PyTorch's own tools read.

#include <ATen/record_function.h>
#include <c10/core/Device.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace torch::nn {
class Module;
}

namespace memviz::capture {

/// Options with the names and meaning of torch.cuda.memory._record_memory_history.
struct RecorderOptions {
  /// "all": blocks and events; "state": blocks only.
  std::string enabled = "all";
  /// The events that have stacks: "all", "alloc" (no frees), "state" (blocks only), "" for none.
  std::string context = "all";
  /// "all": C++ and, if the process has an interpreter, Python; "python": Python only.
  std::string stacks = "all";
  /// Events kept per device; the oldest are overwritten.
  std::size_t max_entries = 1'000'000;
  /// nullopt: the current CUDA device. The recording covers all devices.
  std::optional<c10::Device> device;
  /// The folder for a snapshot when memory runs out, named oom_rank<R>_<host>_pid<P>_<time>.pickle; empty: none is
  /// written. The rank comes from the launcher's environment variables, 0 without one. If the folder is not writable,
  /// the snapshot goes to the system's folder for temporary files.
  std::filesystem::path oom_directory;
  /// The maximum number of such snapshots, because a program may continue after each.
  std::size_t oom_dumps = 16;
  /// Modules whose parameters, gradients and buffers have names in the snapshots: {model.ptr()}. They are read when a
  /// snapshot is written: no other thread may add or remove their tensors meanwhile. They live no longer for it. Bytes
  /// of a name that are not UTF-8 become U+FFFD.
  std::vector<std::weak_ptr<torch::nn::Module>> names;
};

/// Only one recording at a time in a process: start() throws std::runtime_error while another recorder records. Calls
/// may come from any thread while others allocate, except stop(), which needs a moment when they do not (PyTorch's
/// recorder reads without a lock what stop() removes). A forked child does not record.
class Recorder {
public:
  Recorder() = default;
  /// Stops, if it records.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Throws std::invalid_argument for an option that does not exist, std::runtime_error if recording is not possible.
  void start(const RecorderOptions& options = {});
  /// Ends the recording and frees its history; without a start() it does nothing.
  void stop();
  [[nodiscard]] bool is_recording() const;

  /// Writes the snapshot next to `path` and renames it. Throws std::runtime_error, with the path, and leaves no file if
  /// it cannot be written. Recording continues.
  void dump(const std::filesystem::path& path) const;

private:
  std::atomic<pid_t> process_ = 0; ///< the process that records; 0: none
};

/// Marks its lifetime in the `external_annotations` of an active recording, as record_function does: START and END.
/// LibTorch 2.4 records none, and LibTorch before 2.8 only those of the thread that called Recorder::start().
class Annotation {
public:
  explicit Annotation(const std::string& name) : scope_(at::RecordScope::USER_SCOPE) {
    if (scope_.isActive()) scope_.before(name);
  }

private:
  at::RecordFunction scope_;
};

} // namespace memviz::capture
