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
  void annotate(std::string_view name, const char* stage) override;
  /// The allocator has the event already.
  void note_out_of_memory(std::uint64_t /*bytes*/) override {}

private:
  RecordingOptions options_;
};

} // namespace memviz::capture
