#pragma once

// Records with the CUDA caching allocator's own history, of all devices: the allocator keeps events and blocks, we give
// it stacks and write its snapshot.

#include "libtorch/recorder.hpp"

namespace memviz::capture {

class CudaBackend final : public Backend {
public:
  /// Throws std::runtime_error when the allocator keeps no history (cudaMallocAsync) or the device is not there.
  explicit CudaBackend(const RecordingOptions& options);

  void stop() override;
  [[nodiscard]] SnapshotData snapshot() const override;
  [[nodiscard]] const char* recorded() const override { return "CUDA"; }
  void annotate(std::string_view name, const char* stage) override;
  /// The allocator has the event already.
  void note_out_of_memory(c10::DeviceType /*kind*/, std::uint64_t /*bytes*/) override {}

private:
  RecordingOptions options_;
};

/// Events that each of `devices` devices can keep within the bytes of the options.
[[nodiscard]] std::size_t max_entries_of(const RecordingOptions& options, std::size_t devices);

/// What a reader has to know of the recording, into the settings: `trace_alloc_max_entries`, `trace_alloc_overflowed`
/// (a device's ring is full: it may have lost events), `memviz_stacks_left_out` (for want of memory for stacks).
void add_recording_settings(std::size_t max_entries, std::uint64_t stacks_left_out, SnapshotData& snapshot);

} // namespace memviz::capture
