#pragma once

// What a rehearsed run left behind -> what is known of it. Two files of JSON lines: the report, one line a process, of
// the made-up GPU, and the log of the hook in each Python.

#include "memviz/device_id.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// What one process took of one device. All sizes are bytes.
struct DeviceUse {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
  DeviceId device;
  std::uint64_t total_bytes = 0;
  std::uint64_t context_bytes = 0;
  std::uint64_t peak_bytes = 0;                          ///< of the device, with the context's
  std::optional<std::uint64_t> peak_reserved_bytes = {}; ///< of PyTorch's allocator; nothing without the hook
  std::optional<std::uint64_t> peak_allocated_bytes = {};
  std::uint64_t retries = 0; ///< how often all cached memory was given back because the device had no more

  [[nodiscard]] std::uint64_t left_bytes() const { return total_bytes > peak_bytes ? total_bytes - peak_bytes : 0; }
};

/// An out-of-memory error of PyTorch's allocator.
struct OutOfMemoryFact {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank = {};
  DeviceId device;
  std::uint64_t asked_bytes = 0;
  std::string file; ///< "" where none was written
};

/// A snapshot that the hook wrote.
struct WrittenFile {
  std::int64_t pid = 0;
  std::string path;
};

struct RunFacts {
  std::vector<DeviceUse> uses; ///< by rank, then process, then device; only what was used
  std::vector<OutOfMemoryFact> ooms;
  std::uint64_t oom_count = 0;      ///< of uncaught ones outside of PyTorch's allocator, too
  std::vector<WrittenFile> files;   ///< those of the end of a process
  std::vector<std::string> torches; ///< versions of torch that were imported
  bool has_cuda_torch = false;      ///< one of them was built with CUDA
  bool used_cuda = false;
  bool has_own_recorder = false; ///< the program records its own history
  bool is_stopped = false;       ///< by --steps
  std::uint64_t steps = 0;       ///< optimizer steps, the most of any process
  std::uint64_t host_reads = 0;
  std::uint64_t kernel_launches = 0;
  std::vector<std::string> notes;    ///< what the made-up GPU could not know; each once
  std::vector<std::string> failures; ///< of the hook; each once
};

/// Files that are not there, pipes and devices instead of them, and lines that are cut off or longer than 1 MiB count
/// as empty; the first 64 MiB of each file are read.
[[nodiscard]] RunFacts read_facts(const std::filesystem::path& report, const std::filesystem::path& log);

} // namespace memviz::rehearse
