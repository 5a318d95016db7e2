#pragma once

// Finds, while a pickle is decoded, where the records of a sink stand, and hands them over instead of keeping them:
// what follows a known pattern goes through the scanner, anything else through the machine and the document. It may
// give up at any time by throwing: the file then has to be decoded again without it. It does so for everything that
// could make its result differ from that of decoding first and looking afterwards.

#include "pickle/digest_table.hpp"
#include "pickle/record_lookahead.hpp"
#include "pickle/record_pattern.hpp"
#include "pickle/record_scanner.hpp"
#include "pickle/record_sink.hpp"
#include "value/document.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::pickle {

class Cursor;
class Memo;
class Progress;

/// The state of a machine that the stream reads and changes.
struct MachineState {
  Cursor& cursor;
  Document& document;
  Memo& memo;
  std::vector<Value>& stack;
  std::vector<std::size_t>& marks;
  Progress& progress;
};

class RecordStream {
public:
  RecordStream(const MachineState& machine, RecordSink& sink, std::string_view bytes, unsigned threads);

  // Called by the machine.
  /// After a MARK.
  void after_mark();
  /// After an opcode that may have finished a record.
  void after_record() {
    if (machine_.marks.size() == depth_) hand_over();
  }
  /// APPENDS or APPEND to a Kind::record_list.
  void append(Value list, std::span<const Value> items);

private:
  [[nodiscard]] std::size_t outer_of(std::size_t index) const;
  [[nodiscard]] bool is_record_list(std::size_t index) const;
  void enter(std::size_t index);
  void hand_over();
  void hand_over_dict(Value item);
  bool scan_run();
  bool scan_pattern(std::size_t pattern, std::uint64_t offset);
  void hand_over_run(RecordRun& run);
  void memoize(Value value, const RecordRun& run);
  [[nodiscard]] Value fetched(std::uint64_t number);
  [[nodiscard]] Value checked(std::uint64_t number) const;
  [[nodiscard]] Value resolved(Value cell, const RecordRun& run, std::size_t column);
  [[nodiscard]] Value text_of(std::string_view text, std::size_t column);
  [[nodiscard]] Value digest_of(const InlineList& list);
  [[nodiscard]] Value pair_of(Value cell);

  static constexpr std::size_t kOutside = ~std::size_t{0};
  static constexpr std::size_t kMostPatterns = 16;

  MachineState machine_;
  RecordSink& sink_;
  std::string_view bytes_;
  DigestTable digests_;
  DigestGuesses guesses_; ///< of digests_
  RecordScanner scanner_;
  RecordLookahead lookahead_;
  std::size_t depth_ = kOutside; ///< number of marks within the list of records
  std::size_t list_ = 0;
  std::size_t next_list_ = 0; ///< one more than the largest number so far

  std::vector<RecordPattern> patterns_;
  std::size_t latest_pattern_ = 0;
  std::size_t next_put_ = 0;
  RecordRun run_; ///< kept across calls to save allocations
  std::vector<Value> items_;
  struct Fetched {
    std::uint64_t number = ~std::uint64_t{0};
    Value value;
  };
  std::vector<Value> latest_text_; ///< by column
  static constexpr std::size_t kFetched = 1U << 13U;
  std::vector<Fetched> fetched_{kFetched}; ///< what was fetched of late, by the lowest bits of the number
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Pair, Value> pairs_;
  std::pair<Pair, Value> latest_pair_;
};

} // namespace memviz::pickle
