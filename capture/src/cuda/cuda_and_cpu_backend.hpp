#pragma once

// The CUDA devices and the CPU in one recording: the CPU is the device after the last CUDA device.

#include "cuda_backend.hpp"
#include "libtorch/cpu_backend.hpp"

#include <memory>

namespace memviz::capture {

class CudaAndCpuBackend final : public Backend {
public:
  /// Throws as CudaBackend does.
  explicit CudaAndCpuBackend(const RecordingOptions& options);

  void stop() override;
  [[nodiscard]] SnapshotData snapshot() const override;
  [[nodiscard]] const char* recorded() const override { return "CUDA or the CPU"; }
  void annotate(std::string_view name, const char* stage) override;
  void note_out_of_memory(c10::DeviceType kind, std::uint64_t bytes) override;

private:
  CpuBackend cpu_;
  std::unique_ptr<CudaBackend> cuda_;
};

} // namespace memviz::capture
