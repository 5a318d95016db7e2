#pragma once

// Scans for records ahead of the machine, on other threads. A run that was found ahead means what the scanner would
// find at the same offset, because that depends on nothing but the bytes; whether there really is a record is for
// the machine to say: it takes a run only when it arrives at its first byte.

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

  /// From now on records of this pattern, too, are looked for; its number is that of the calls before. The first call
  /// starts the threads, if what follows `offset` is worth it.
  virtual void add_pattern(const RecordPattern& pattern, std::uint64_t offset) = 0;
  /// The run that begins at `offset`, valid until the next call; null if there is none. Waits for a thread that is at
  /// it, and scans further ahead meanwhile. Offsets must not fall.
  [[nodiscard]] virtual RecordRun* take(std::uint64_t offset) = 0;
};

/// `threads` counts the machine's own. Null with 1, and in a build without threads (record_lookahead_serial.cpp):
/// nothing is found ahead then.
[[nodiscard]] std::unique_ptr<RecordLookahead> make_lookahead(std::string_view bytes, const DigestGuesses& guesses,
                                                              unsigned threads);

} // namespace memviz::fast_reader
