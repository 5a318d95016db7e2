#pragma once

// A file of any kind -> what it is: whether it is a snapshot, whether its accounts balance, which program wrote it, and
// which opcodes of a hostile pickle would have executed something.

#include "memviz/read_by.hpp"
#include "memviz/session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

namespace pickle {
struct Survey;
} // namespace pickle

struct CheckReport {
  std::string file;
  std::uint64_t size_bytes = 0;                 ///< decompressed
  std::optional<std::uint64_t> stored_bytes;    ///< of a file that is compressed
  std::vector<std::string> layers;              ///< that it was packed in, from the outside: "gzip", "tar"
  std::shared_ptr<const pickle::Survey> survey; ///< its opcodes; null if it is not a pickle or was not scanned
  std::optional<ReadBy> read_by;                ///< nullopt if no reader started
  std::string error;                            ///< why it is not a snapshot; "" where it is one
  std::shared_ptr<const Recording> recording;   ///< null if it is not a snapshot
  std::optional<MemoryState> state;             ///< except if only the structure was requested
  double decoding_seconds = 0;

  [[nodiscard]] bool is_balanced() const;
};

enum class CheckDepth : std::uint8_t {
  whole,
  structure, ///< decodes and validates everything, replays nothing; scans opcodes only if that fails
};

/// Throws the exceptions of read_input(), and those that prevent reading at all; that a file is not a snapshot is a
/// result.
[[nodiscard]] CheckReport check(const std::string& path, CheckDepth depth, const SessionOptions& options);

} // namespace memviz
