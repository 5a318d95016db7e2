#pragma once

// A file, of whatever kind -> what it is: a snapshot or not, whether its accounts add up, who wrote it, and which
// opcodes of a hostile pickle would have run something.

#include "memviz/read_by.hpp"
#include "memviz/session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace memviz {

namespace pickle {
struct Survey;
} // namespace pickle

struct CheckReport {
  std::string file;
  std::uint64_t size_bytes = 0;                 ///< decompressed
  std::optional<std::uint64_t> stored_bytes;    ///< of a file that is compressed
  std::shared_ptr<const pickle::Survey> survey; ///< its opcodes; null of what is not a pickle, or where not looked at
  std::optional<ReadBy> read_by;                ///< none where no reader began
  std::string error;                            ///< why it is not a snapshot; "" where it is one
  std::shared_ptr<const Recording> recording;   ///< null where it is not a snapshot
  std::optional<MemoryState> state;             ///< unless the structure alone was asked for
  double decoding_seconds = 0;

  [[nodiscard]] bool is_balanced() const;
};

enum class CheckDepth : std::uint8_t {
  whole,
  structure, ///< everything is decoded and validated, nothing replayed; opcodes are looked at only where that fails
};

/// Throws what read_input() throws, and what keeps a file from being read at all; that it is not a snapshot is an
/// answer.
[[nodiscard]] CheckReport check(const std::string& path, CheckDepth depth, const SessionOptions& options);

} // namespace memviz
