#pragma once

// What stands behind a Recorder: options that were checked, the interface of the recordings of each device, and the one
// running recording, which allocators and annotations report to.

#include "memviz/capture/recorder.hpp"
#include "snapshot_data.hpp"

#include <c10/core/Device.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace memviz::capture {

/// For what stacks are recorded; each includes those before it.
enum class Context { never, state, alloc, all };

/// RecorderOptions whose words are known to be right.
struct RecordingOptions {
  bool events = true;
  Context context = Context::all;
  bool native_stacks = true;
  std::size_t max_entries = 0;
  std::size_t max_bytes = 0;
  c10::Device device = c10::kCPU;
  bool with_cpu = false; ///< only beside CUDA
  std::vector<std::string> skip_actions;
  std::filesystem::path oom_directory;
  std::size_t oom_dumps = 0;
};

/// Throws std::invalid_argument naming the option and what it may be; std::runtime_error when there is no such device.
[[nodiscard]] RecordingOptions check_options(const RecorderOptions& options);

/// A recording of one kind of device, from its construction to stop(). The destructor only frees: in a forked child
/// stop() is never called.
class Backend {
public:
  /// At most `oom_dumps` snapshots are dumped into the directory, none where it is empty.
  Backend(std::filesystem::path oom_directory, std::size_t oom_dumps);
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual void stop() = 0;
  [[nodiscard]] virtual SnapshotData snapshot() const = 0;
  /// What is recorded, in the words of messages: "CUDA", "the CPU".
  [[nodiscard]] virtual const char* recorded() const = 0;
  virtual void annotate(std::string_view name, const char* stage) = 0;
  /// An allocation of `bytes` failed on a device of this kind.
  virtual void note_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) = 0;

  /// stop(), once no other thread takes a snapshot.
  void end();
  /// nullopt after end(), which waits for it.
  [[nodiscard]] std::optional<SnapshotData> snapshot_unless_ended() const;

  /// Dumps into the directory for it. Says on stderr where to, or why not; never throws.
  void dump_out_of_memory() noexcept;
  /// Whether this process started it, and not the one it was forked from.
  [[nodiscard]] bool is_of_this_process() const;

private:
  std::filesystem::path oom_directory_;
  std::size_t oom_dumps_;
  std::atomic<std::size_t> dumps_ = 0;
  pid_t process_;
  mutable std::shared_mutex ending_; ///< shared by snapshots, taken alone by end()
  bool has_ended_ = false;
};

/// To the running recording, from any thread; nothing happens without one.
void report_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) noexcept;
void report_annotation(std::string_view name, const char* stage) noexcept;

/// Makes forks safe: takes all locks over the fork, and ends the recording in the child.
void make_fork_safe();

} // namespace memviz::capture
