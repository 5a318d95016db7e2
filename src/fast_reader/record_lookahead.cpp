#include "fast_reader/record_lookahead.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace memviz::fast_reader {
namespace {

/// The bytes with which records begin.
std::string_view head_of(RecordPattern::Entry memo) {
  switch (memo) {
  case RecordPattern::Entry::none:
  case RecordPattern::Entry::put_after: return "}(";
  case RecordPattern::Entry::memoize: return "}\x94(";
  case RecordPattern::Entry::put: break;
  }
  return "}r"; // numbers below 256 are used up long before the trace
}

class ThreadedLookahead final : public RecordLookahead {
public:
  ThreadedLookahead(std::string_view bytes, const DigestGuesses& guesses, unsigned threads);
  ThreadedLookahead(const ThreadedLookahead&) = delete;
  ThreadedLookahead& operator=(const ThreadedLookahead&) = delete;
  ~ThreadedLookahead() override;

  void add_pattern(const RecordPattern& pattern, std::uint64_t offset) override;
  [[nodiscard]] RecordRun* take(std::uint64_t offset) override;

private:
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  // The inputs of fuzzers have a few KB, and should reach this code.
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 8U;
#else
  // About 5,000 events; small enough for a processor's second-level cache.
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
  /// Returns the index of a chunk that a thread can start with; the number of chunks if there is none.
  [[nodiscard]] std::size_t next_waiting() const;
  using Lock = std::unique_lock<std::mutex>;
  void scan_waiting(std::size_t index, RecordScanner& scanner, Lock& lock);
  [[nodiscard]] std::vector<RecordRun> scan_chunk(std::size_t index, const Patterns& patterns, RecordScanner& scanner,
                                                  RecordRun spare) const;
  void move_to(std::size_t index);

  std::string_view bytes_;
  const DigestGuesses& guesses_;
  RecordScanner scanner_; ///< of the thread that runs the machine
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

ThreadedLookahead::ThreadedLookahead(std::string_view bytes, const DigestGuesses& guesses, unsigned threads)
    : bytes_(bytes), guesses_(guesses), scanner_(bytes, &guesses), helpers_(threads - 1),
      patterns_(std::make_shared<std::vector<RecordPattern>>()) {
}

ThreadedLookahead::~ThreadedLookahead() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void ThreadedLookahead::add_pattern(const RecordPattern& pattern, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  auto patterns = std::make_shared<std::vector<RecordPattern>>(*patterns_);
  patterns->push_back(pattern);
  patterns_ = std::move(patterns);
  if (!threads_.empty() || bytes_.size() - offset < kLeastBytes) return;
  begin_offset_ = offset;
  chunks_.resize(static_cast<std::size_t>((bytes_.size() - offset) / kChunkBytes + 1));
  try {
    while (threads_.size() < helpers_)
      threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system cannot start more threads: the existing ones do the work, or the machine alone.
  }
}

RecordRun* ThreadedLookahead::take(std::uint64_t offset) {
  if (threads_.empty()) return nullptr;
  const auto index = static_cast<std::size_t>((offset - begin_offset_) / kChunkBytes);
  Lock lock(mutex_);
  if (index != current_) move_to(index);
  Chunk& chunk = chunks_[index];
  // Not started: the machine is faster than the threads, and scans this chunk itself.
  if (chunk.state == State::waiting) chunk.state = State::done;
  while (chunk.state != State::done) {
    if (const std::size_t other = next_waiting(); other < chunks_.size())
      scan_waiting(other, scanner_, lock);
    else
      changed_.wait(lock);
  }
  while (chunk.next_run < chunk.runs.size() && chunk.runs[chunk.next_run].begin_offset < offset)
    ++chunk.next_run;
  if (chunk.next_run == chunk.runs.size() || chunk.runs[chunk.next_run].begin_offset != offset) return nullptr;
  return &chunk.runs[chunk.next_run++];
}

void ThreadedLookahead::move_to(std::size_t index) {
  for (std::size_t i = current_; i < index; ++i) {
    if (chunks_[i].state == State::scanning) continue; // its thread discards the result
    if (!chunks_[i].runs.empty() && spare_.size() <= helpers_) spare_.push_back(std::move(chunks_[i].runs.front()));
    chunks_[i].runs = {};
    chunks_[i].state = State::done;
  }
  current_ = index;
  changed_.notify_all();
}

std::size_t ThreadedLookahead::next_waiting() const {
  const std::size_t most_ahead = 2 * std::size_t{helpers_} + 2;
  const std::size_t end = std::min(chunks_.size(), current_ + 1 + most_ahead);
  for (std::size_t i = current_ + 1; i < end; ++i) {
    if (chunks_[i].state == State::waiting) return i;
  }
  return chunks_.size();
}

void ThreadedLookahead::work() {
  RecordScanner scanner(bytes_, &guesses_);
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || next_waiting() < chunks_.size(); });
    if (is_ending_) return;
    scan_waiting(next_waiting(), scanner, lock);
  }
}

/// Scans a chunk that no thread started; unlocks meanwhile.
void ThreadedLookahead::scan_waiting(std::size_t index, RecordScanner& scanner, Lock& lock) {
  chunks_[index].state = State::scanning;
  const Patterns patterns = patterns_;
  RecordRun spare;
  if (!spare_.empty()) {
    spare = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  std::vector<RecordRun> runs;
  try {
    runs = scan_chunk(index, patterns, scanner, std::move(spare));
  } catch (const std::bad_alloc&) {
    // The machine scans this chunk itself, and reports the error if there is no memory for that either.
    runs.clear();
  }
  lock.lock();
  if (index >= current_) chunks_[index].runs = std::move(runs);
  chunks_[index].state = State::done;
  changed_.notify_all();
}

std::vector<RecordRun> ThreadedLookahead::scan_chunk(std::size_t index, const Patterns& patterns,
                                                     RecordScanner& scanner, RecordRun spare) const {
  std::vector<RecordRun> runs;
  const std::uint64_t begin = begin_offset_ + index * kChunkBytes;
  const std::uint64_t stop = std::min<std::uint64_t>(begin + kChunkBytes, bytes_.size());
  const std::string_view head = head_of(patterns->front().memo_entry());
  std::uint64_t offset = begin;
  while ((offset = bytes_.find(head, static_cast<std::size_t>(offset))) < stop) {
    RecordRun run = std::exchange(spare, {});
    run.restart(offset);
    for (run.pattern = 0; run.pattern < patterns->size() && run.cells.empty(); ++run.pattern)
      scanner.scan((*patterns)[run.pattern], stop, run);
    ++offset;
    if (run.cells.empty()) continue;
    --run.pattern;
    offset = run.end_offset;
    runs.push_back(std::move(run));
  }
  return runs;
}

} // namespace

std::unique_ptr<RecordLookahead> make_lookahead(std::string_view bytes, const DigestGuesses& guesses,
                                                unsigned threads) {
  return threads > 1 ? std::make_unique<ThreadedLookahead>(bytes, guesses, threads) : nullptr;
}

} // namespace memviz::fast_reader
