#pragma once

// Bytes -> rows of records of a known pattern, at about the cost of walking their opcodes. Only the bytes are needed,
// so other threads can scan ahead; values in the memo are left as references to it.

#include "fast_reader/digest_guesses.hpp"
#include "fast_reader/record_form.hpp"
#include "fast_reader/record_pattern.hpp"
#include "pickle/memo.hpp"
#include "pickle/opcode.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::fast_reader {

/// A cell that was written in place, not fetched: where its bytes are, and whether the memo holds it as well.
struct InlineList {
  std::string_view fetches; ///< BINGET and LONG_BINGET opcodes, one per element
  std::uint64_t hash = 0;
};

/// Consecutive records. A cell is a value; or Kind::memo_reference with a number of the memo; or was written in place.
/// In the last case the lowest bit of its payload is whether the memo holds it: Kind::text (offset and size),
/// Kind::list (index into `lists`), Kind::digest (payload of a list's digest), Kind::tuple (two small integers).
struct RecordRun {
  std::uint64_t begin_offset = 0;
  std::uint64_t end_offset = 0;
  std::size_t pattern = 0;
  std::vector<Value> cells;
  std::vector<InlineList> lists;
  /// The numbers that files of protocols 2 and 3 give to entries of the memo, in the order of the entries that the run
  /// makes.
  std::vector<std::uint32_t> puts;

  /// Makes the run empty, starting at `offset`; keeps its memory.
  void restart(std::uint64_t offset) {
    begin_offset = end_offset = offset;
    cells.clear();
    lists.clear();
    puts.clear();
  }
};

/// Returns the Kind::text of a RecordRun: bytes [offset, offset + size).
[[nodiscard]] std::string_view inline_text(std::string_view bytes, Value cell);
/// Returns the Kind::tuple of a RecordRun.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> inline_pair(Value cell);
[[nodiscard]] inline bool is_memoized(Value cell) {
  return (cell.payload() & 1U) != 0;
}

/// A list that only the memo can refer to so far.
struct FreshList {
  std::uint64_t mark_offset = 0;
  bool is_memoized = false;
};

/// The scanner of one thread. Its results do not depend on where it starts, but its speed does.
class RecordScanner {
public:
  /// `guesses` may be null.
  explicit RecordScanner(std::string_view bytes, const DigestGuesses* guesses = nullptr)
      : bytes_(bytes), guesses_(guesses) {}

  /// Appends the records of `pattern`, whose number is run.pattern, that begin at run.end_offset and before
  /// `stop_offset`, and moves run.end_offset after them; stops at the first byte that does not match. Skips the end and
  /// the beginning of a batch between two of them, as their list stays the same.
  void scan(const RecordPattern& pattern, std::uint64_t stop_offset, RecordRun& run);

  /// Returns the pattern of the record at `offset`, if it has one.
  [[nodiscard]] std::optional<RecordPattern> learn(std::uint64_t offset, const pickle::Memo& memo) const;

  /// Returns the continuation of the list whose EMPTY_LIST is before `offset`, if only its number in the memo is
  /// between that and the MARK of its first items.
  [[nodiscard]] std::optional<FreshList> fresh_list(std::uint64_t offset) const;

private:
  [[nodiscard]] bool has_room(const char* at) const { return at != nullptr && end() - at >= kRoom; }
  [[nodiscard]] const char* end() const { return bytes_.data() + bytes_.size(); }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const { return static_cast<std::uint64_t>(at - bytes_.data()); }
  // These return where they stopped, or null for a mismatch.
  const char* past_frames(const char* at) const;
  const char* past_batch_end(const char* at) const;
  const char* past_put(const char* at, bool& is_memoized, RecordRun& run) const;
  const char* scan_pair(const char* at, Value& cell, RecordRun& run) const;
  const char* try_record(const RecordPattern& pattern, std::span<Value> cells, std::span<RecordForm> forms,
                         RecordRun& run) const;
  const char* scan_record(const RecordPattern& pattern, std::span<Value> cells, std::span<RecordForm> forms,
                          RecordRun& run) const;
  const char* scan_column(const char* at, std::size_t key_bytes, Value& cell, RecordForm& form, RecordRun& run) const;
  const char* scan_value(const char* at, Value& cell, RecordRun& run) const;
  template <pickle::Opcode kOpcode> const char* scan_text(const char* at, Value& cell, RecordRun& run) const;
  const char* scan_list(const char* at, Value& cell, RecordRun& run) const;
  const DigestedList* guessed_list(const char* at) const;

  /// More than any key with its value takes, texts and lists aside: within it, ends need not be checked.
  static constexpr std::ptrdiff_t kRoom = 64;

  std::string_view bytes_;
  const DigestGuesses* guesses_;
  std::vector<std::vector<RecordForm>> forms_; ///< by pattern and column: the form of earlier records
  std::vector<RecordForm> new_forms_;
};

} // namespace memviz::fast_reader
