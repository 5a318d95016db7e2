#pragma once

// Finds the records of a sink while a pickle is decoded, and passes them on instead of keeping them: bytes of a known
// pattern go through the scanner, everything else through the machine and the document. It may give up at any time: the
// file then has to be decoded again without it. It does so for everything that could make its result differ from
// decoding first and looking afterwards.

#include "fast_reader/digest_table.hpp"
#include "fast_reader/record_lookahead.hpp"
#include "fast_reader/record_pattern.hpp"
#include "fast_reader/record_scanner.hpp"
#include "fast_reader/record_sink.hpp"
#include "memviz/read_by.hpp"
#include "pickle/machine_hooks.hpp"
#include "value/document.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::fast_reader {

/// All members throw GiveUp.
class RecordStream final : public pickle::MachineHooks {
public:
  /// `key`: the key of the root whose value is a list of lists of records.
  RecordStream(const pickle::MachineState& machine, std::string_view key, RecordSink& sink, std::string_view bytes,
               unsigned threads);

  void after_empty_list() override;
  void after_mark() override;
  void after_dict() override;
  void append(Value list, std::span<const Value> items) override;
  void check_fetched(Value stand_in) override;
  void refuse_change() override;
  /// Called after the last opcode: gives up unless the records passed on are what the root holds.
  void finish();

private:
  [[noreturn]] static void give_up(PlainReason reason, std::uint64_t offset);
  /// At the opcode that the machine runs, and at the run that is passed on.
  [[noreturn]] void give_up_at_opcode(PlainReason reason) const;
  [[noreturn]] void give_up_in_run(PlainReason reason) const;
  void check_memo() const;
  [[nodiscard]] std::size_t outer_of(std::size_t index) const;
  [[nodiscard]] bool is_record_list(std::size_t index) const;
  bool enter(std::size_t index);
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

  pickle::MachineState machine_;
  std::string_view key_;
  RecordSink& sink_;
  std::string_view bytes_;
  DigestTable digests_;
  DigestGuesses guesses_; ///< of digests_
  RecordScanner scanner_;
  std::unique_ptr<RecordLookahead> lookahead_; ///< may be null
  std::size_t depth_ = kOutside;               ///< number of marks within the list of records
  std::size_t list_ = 0;
  std::size_t next_list_ = 0; ///< the largest number so far, plus one
  std::size_t entered_lists_ = 0;
  std::optional<FreshList> fresh_list_; ///< the latest one that may be a list of records

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
  std::vector<Fetched> fetched_{kFetched}; ///< recently fetched entries, by the lowest bits of the number
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Pair, Value> pairs_;
  std::pair<Pair, Value> latest_pair_;
};

} // namespace memviz::fast_reader
