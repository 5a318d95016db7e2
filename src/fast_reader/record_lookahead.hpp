#pragma once

// Scans for records ahead of the machine, on other threads. A run that was found ahead means what the scanner would
// find at the same offset, because that depends on nothing but the bytes; whether there really stands a record is for
// the machine to say: it takes a run only when it arrives at its first byte.

#include "fast_reader/record_scanner.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace memviz::fast_reader {

class RecordLookahead {
public:
  /// `threads` counts the machine's own; with 1 nothing is ever found ahead.
  RecordLookahead(std::string_view bytes, const DigestGuesses& guesses, unsigned threads);
  RecordLookahead(const RecordLookahead&) = delete;
  RecordLookahead& operator=(const RecordLookahead&) = delete;
  ~RecordLookahead();

  /// From now on records of this pattern, too, are looked for; its number is that of the calls before. The first call
  /// starts the threads, if what follows `offset` is worth it.
  void add_pattern(const RecordPattern& pattern, std::uint64_t offset);
  /// The run that begins at `offset`, valid until the next call; null if there is none. Waits for a thread that is at
  /// it, and scans further ahead meanwhile. Offsets must not fall.
  [[nodiscard]] RecordRun* take(std::uint64_t offset);

private:
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  // What fuzzers try has a few KB, and is to get here.
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 8U;
#else
  // About 5,000 events; small enough for the second level of a processor's cache.
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 19U;
#endif
  static constexpr std::uint64_t kLeastBytes = 8 * kChunkBytes;

  enum class State : std::uint8_t { waiting, scanning, done };
  struct Chunk {
    State state = State::waiting;
    std::size_t next_run = 0;
    std::vector<RecordRun> runs;
  };
  using Patterns = std::shared_ptr<const std::vector<RecordPattern>>;

  void work();
  /// Of a chunk that a thread can begin with; the number of chunks if there is none.
  [[nodiscard]] std::size_t next_waiting() const;
  using Lock = std::unique_lock<std::mutex>;
  void scan_waiting(std::size_t index, RecordScanner& scanner, Lock& lock);
  [[nodiscard]] std::vector<RecordRun> scan_chunk(std::size_t index, const Patterns& patterns, RecordScanner& scanner,
                                                  RecordRun spare) const;
  void move_to(std::size_t index);

  std::string_view bytes_;
  const DigestGuesses& guesses_;
  RecordScanner scanner_; ///< of the machine's thread
  unsigned helpers_;
  std::uint64_t begin_offset_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Patterns patterns_;
  std::vector<Chunk> chunks_;
  std::vector<RecordRun> spare_; ///< used up; their memory is not, and new memory would cost page faults
  std::size_t current_ = 0;      ///< the chunk that the machine is in
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace memviz::fast_reader
