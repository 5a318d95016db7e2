#pragma once

// Scans for records ahead of the machine, on other threads. A run found ahead is the same that the scanner would find
// at that offset, because it depends only on the bytes. Whether there really is a record is decided by the machine,
// which takes a run only when it arrives at its first byte.

#include "fast_reader/record_scanner.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace memviz::fast_reader {

class RecordLookahead {
public:
  RecordLookahead() = default;
  RecordLookahead(const RecordLookahead&) = delete;
  RecordLookahead& operator=(const RecordLookahead&) = delete;
  virtual ~RecordLookahead() = default;

  /// Also looks for records of this pattern from now on; its number is that of earlier calls. The first call starts the
  /// threads, if the bytes after `offset` are worth it.
  virtual void add_pattern(const RecordPattern& pattern, std::uint64_t offset) = 0;
  /// Returns the run that begins at `offset`, valid until the next call; null if there is none. Waits for a thread that
  /// is working on it, and scans further ahead meanwhile. Offsets must not decrease.
  [[nodiscard]] virtual RecordRun* take(std::uint64_t offset) = 0;
};

/// `threads` includes the machine's own. Returns null for 1, and in a build without threads
/// (record_lookahead_serial.cpp): then nothing is found ahead.
[[nodiscard]] std::unique_ptr<RecordLookahead> make_lookahead(std::string_view bytes, const DigestGuesses& guesses,
                                                              unsigned threads);

} // namespace memviz::fast_reader
