#pragma once

// For tests of recordings: a folder that goes away, and the data of a dump before it is written.

#include "libtorch/cpu_backend.hpp"
#include "snapshot_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memviz::capture {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "memviz_capture_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(path_); }

private:
  std::filesystem::path path_;
};

/// Of a recording of the CPU; all else as it is by default.
[[nodiscard]] inline RecorderOptions cpu_options() {
  RecorderOptions options;
  options.device = c10::Device(c10::kCPU);
  return options;
}

/// Records the CPU from here to the end of its scope, without a Recorder.
class CpuRecording {
public:
  explicit CpuRecording(RecorderOptions options = {}) : backend_(check_options(on_cpu(std::move(options)))) {}
  ~CpuRecording() { backend_.stop(); }
  CpuRecording(const CpuRecording&) = delete;
  CpuRecording& operator=(const CpuRecording&) = delete;
  [[nodiscard]] SnapshotData snapshot() const { return backend_.snapshot(); }

private:
  static RecorderOptions on_cpu(RecorderOptions options) {
    options.device = c10::Device(c10::kCPU);
    return options;
  }
  CpuBackend backend_;
};

inline std::size_t count_events(const SnapshotData& snapshot, std::string_view action, std::uint64_t size) {
  const auto& trace = snapshot.traces.at(0);
  return static_cast<std::size_t>(std::count_if(trace.begin(), trace.end(), [&](const EventData& event) {
    return event.action == action && event.size == size;
  }));
}

inline std::size_t count_blocks(const SnapshotData& snapshot, std::uint64_t size) {
  return static_cast<std::size_t>(std::count_if(snapshot.segments.begin(), snapshot.segments.end(),
                                                [size](const auto& s) { return s.total_size == size; }));
}

/// Bytes that are wrong: replays the events backwards from the blocks; what lives before the first event has no alloc.
/// An alloc of an address that lives, a free_completed of another size, or an alloc without a block at the end is
/// wrong.
inline std::uint64_t out_of_balance(const SnapshotData& snapshot) {
  std::map<std::uint64_t, std::uint64_t> live;
  for (const SegmentData& segment : snapshot.segments)
    live[segment.address] = segment.total_size;
  std::uint64_t wrong = 0;
  const auto& trace = snapshot.traces.at(0);
  for (auto event = trace.rbegin(); event != trace.rend(); ++event) {
    const std::string_view action = event->action;
    if (action == "alloc") {
      const auto known = live.find(event->address);
      if (known == live.end() || known->second != event->size) {
        wrong += event->size;
        continue;
      }
      live.erase(known);
    } else if (action == "free_completed" && !live.emplace(event->address, event->size).second) {
      wrong += event->size;
    }
  }
  return wrong;
}

inline std::vector<std::string> names_of(const SnapshotData& snapshot, StackIndex stack) {
  std::vector<std::string> names;
  for (const std::uint32_t frame : snapshot.stacks.at(stack))
    names.push_back(snapshot.frames.at(frame).name);
  return names;
}

} // namespace memviz::capture
