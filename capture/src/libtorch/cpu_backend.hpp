#pragma once

// Records the CPU allocator's allocations and frees in the format of CUDA's: each allocation is a segment with one
// block, so reserved = allocated, on device 0, stream 0.

#include "annotations.hpp"
#include "cpu_allocator_watch.hpp"
#include "cpu_history.hpp"
#include "recorder.hpp"

namespace memviz::capture {

class CpuBackend final : public Backend, private CpuAllocationListener {
public:
  explicit CpuBackend(const RecordingOptions& options);

  void stop() override;
  [[nodiscard]] SnapshotData snapshot() const override;
  [[nodiscard]] const char* recorded() const override { return "the CPU"; }
  void annotate(std::string_view name, const char* stage) override;
  void note_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) override;

private:
  void allocated(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept override;
  void freed(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept override;

  RecordingOptions options_;
  CpuHistory history_; ///< guarded by the watch's lock
  AnnotationRing annotations_;
};

} // namespace memviz::capture
