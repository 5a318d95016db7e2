#pragma once

// Records what a LibTorch program allocates and dumps it as a PyTorch memory snapshot: the file that Python programs
// write with torch.cuda.memory._record_memory_history and _dump_snapshot, and that memviz and PyTorch's own tools read.
// On CUDA devices it uses the caching allocator's own history; on the CPU it watches LibTorch's CPU allocator; both can
// be in one file.

#include <c10/core/Device.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz::capture {

/// Names and meaning are those of torch.cuda.memory._record_memory_history (PyTorch 2.10).
struct RecorderOptions {
  /// "all": blocks and events; "state": blocks only.
  std::string enabled = "all";
  /// For what stacks are recorded: "all", "alloc" (not for frees), "state" (for blocks only), "" for nothing.
  std::string context = "all";
  /// "all": Python (where an interpreter is in the process) and C++; "python": Python only. Recordings on the CPU have
  /// operators' names instead of Python's frames, with either.
  std::string stacks = "all";
  /// Events kept, per device; the oldest are overwritten.
  std::size_t max_entries = 1'000'000;
  /// Bound on the host memory of the history, in bytes, of the whole process: the CUDA devices that the process sees
  /// share it out evenly. Reaching it is the same as reaching max_entries. On CUDA a quarter is for native stacks: once
  /// those that blocks and events in the history refer to fill it, what has a new stack is recorded without it, and
  /// counted in `memviz_stacks_left_out` of the file's allocator_settings.
  std::size_t max_bytes = std::size_t{1} << 29U;
  /// nullopt: the current CUDA device if there is one, else the CPU.
  std::optional<c10::Device> device;
  /// Beside CUDA devices, the CPU: in the file it is the device after the last CUDA device, and `memviz_cpu_device` in
  /// allocator_settings is its number. Each of the two has half of max_bytes.
  bool with_cpu = false;
  /// Actions that are not recorded: "alloc", "free_requested", ... (as in PyTorch 2.10)
  std::vector<std::string> skip_actions;
  /// Where a snapshot is dumped when memory runs out, as oom_rank<R>_<host>_pid<P>_<time>.pickle; empty: nowhere. The
  /// rank is that which torchrun, SLURM or MPI left in the environment, 0 without one.
  std::filesystem::path oom_directory;
  /// Snapshots of that kind, at most, as a program may go on after each.
  std::size_t oom_dumps = 16;
};

class Backend;

/// One recording at a time: start() throws std::runtime_error while another recorder records. All calls may come from
/// any thread while others compute: LibTorch says of at::addGlobalCallback, which start() calls, that it is for a
/// program's beginning, but has locked it in all versions from 2.4 on; an operator that runs across a start() or stop()
/// may miss in stacks. With Python in the process: call start, stop and dump without holding the interpreter's lock, as
/// a dump in another thread may be waiting for it.
class Recorder {
public:
  Recorder();
  /// Stops, if it records.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Throws std::invalid_argument for an option that is none, std::runtime_error when recording is not possible.
  void start(const RecorderOptions& options = {});
  /// Ends the recording and frees its history; without a start() it does nothing. Waits for dumps that have begun.
  void stop();
  [[nodiscard]] bool is_recording() const;

  /// Writes the snapshot beside `path` and renames it. Throws std::runtime_error, with the path, and leaves no file
  /// when it cannot be written. Recording goes on; other threads may allocate meanwhile. Says so on stderr when nothing
  /// was allocated on the device.
  void dump(const std::filesystem::path& path) const;

private:
  [[nodiscard]] std::shared_ptr<Backend> recording() const;

  std::shared_ptr<Backend> backend_; ///< shared with the dumps that have begun
};

/// Marks its lifetime in the `external_annotations` of a running recording, as record_function does: START and END.
class Annotation {
public:
  explicit Annotation(std::string name);
  ~Annotation();
  Annotation(const Annotation&) = delete;
  Annotation& operator=(const Annotation&) = delete;

private:
  std::string name_;
};

} // namespace memviz::capture
