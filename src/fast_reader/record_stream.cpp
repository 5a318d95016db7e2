#include "fast_reader/record_stream.hpp"

#include "fast_reader/give_up.hpp"
#include "pickle/cursor.hpp"
#include "pickle/memo.hpp"
#include "pickle/opcode_bytes.hpp"
#include "pickle/progress.hpp"

#include <algorithm>
#include <array>

namespace memviz::fast_reader {

using pickle::fetch_bytes;
using pickle::fetched_number;
using pickle::Opcode;

namespace {

/// The bytes that the machine scans at once, so that the cells stay in the processor's cache.
constexpr std::uint64_t kRunBytes = std::uint64_t{1} << 15U;

// The stack of Python's pickle while it fills {..., key: [[record, ...], ...]}: the root, its keys and values in turn,
// the outer list as the last of these, and above it the lists that APPENDS will add, or one that APPEND will.

constexpr std::size_t kRoot = 0;        ///< place on the stack
constexpr std::size_t kFirstKey = 1;    ///< place on the stack, and the root's mark
constexpr std::size_t kWithAppend = 1;  ///< marks around a list of records: the root's
constexpr std::size_t kWithAppends = 2; ///< and the outer list's

bool is_around_records(std::size_t marks) {
  return marks == kWithAppend || marks == kWithAppends;
}

/// Whether a cell of a RecordRun was written in place and is more than a value.
bool is_inline(Value cell) {
  constexpr std::uint32_t kKinds = 1U << static_cast<unsigned>(Kind::text) | 1U << static_cast<unsigned>(Kind::list) |
                                   1U << static_cast<unsigned>(Kind::tuple) | 1U << static_cast<unsigned>(Kind::digest);
  return (kKinds >> static_cast<unsigned>(cell.kind()) & 1U) != 0;
}

} // namespace

RecordStream::RecordStream(const pickle::MachineState& machine, std::string_view key, RecordSink& sink,
                           std::string_view bytes, unsigned threads)
    : machine_(machine), key_(key), sink_(sink), bytes_(bytes), scanner_(bytes, &guesses_),
      lookahead_(make_lookahead(bytes, guesses_, threads)) {
}

void RecordStream::give_up(PlainReason reason, std::uint64_t offset) {
  throw GiveUp{reason, offset};
}

void RecordStream::give_up_at_opcode(PlainReason reason) const {
  give_up(reason, machine_.opcode_offset);
}

void RecordStream::give_up_in_run(PlainReason reason) const {
  give_up(reason, machine_.cursor.offset());
}

/// Records hold copies of what they fetched, and would miss a change.
void RecordStream::check_memo() const {
  if (machine_.memo.was_replaced()) give_up_at_opcode(PlainReason::memo_replaced);
}

void RecordStream::check_fetched(Value stand_in) {
  // Only the sink can interpret a list inside a record, wherever else it is used.
  if (stand_in.kind() != Kind::digest) give_up_at_opcode(PlainReason::used_again);
}

void RecordStream::refuse_change() {
  give_up_at_opcode(PlainReason::content_changed);
}

void RecordStream::after_empty_list() {
  if (is_around_records(machine_.marks.size())) fresh_list_ = scanner_.fresh_list(machine_.cursor.offset());
}

void RecordStream::after_dict() {
  check_memo();
  if (machine_.marks.size() == depth_) hand_over();
}

void RecordStream::after_mark() {
  check_memo();
  const auto& marks = machine_.marks;
  if (!is_around_records(marks.size() - 1) || marks.back() == 0) return; // the last mark is that of the records
  const std::size_t index = marks.back() - 1;
  const Kind kind = machine_.stack[index].kind();
  if (kind != Kind::record_list && !(kind == Kind::list && is_record_list(index) && enter(index))) return;
  list_ = static_cast<std::size_t>(machine_.stack[index].payload());
  depth_ = marks.size();
  hand_over();
}

/// Returns the place on the stack of the outer list of the one at `index`.
std::size_t RecordStream::outer_of(std::size_t index) const {
  const auto& marks = machine_.marks;
  const bool has_own_mark = marks.size() - 1 == kWithAppends;
  return (has_own_mark ? marks[kWithAppends - 1] : index) - 1;
}

/// Only for a list that is made and filled at once: nothing else can refer to it.
bool RecordStream::is_record_list(std::size_t index) const {
  const auto& stack = machine_.stack;
  const auto& marks = machine_.marks;
  if (!fresh_list_ || fresh_list_->mark_offset != machine_.opcode_offset) return false;
  if (marks.front() != kFirstKey || stack[kRoot].kind() != Kind::dict) return false;
  const std::size_t outer = outer_of(index);
  if (outer <= kFirstKey || outer >= index || stack[outer].kind() != Kind::list) return false;
  const std::size_t key = outer - 1;
  const bool is_key = (key - kFirstKey) % 2 == 0;
  return is_key && stack[key].kind() == Kind::text && machine_.document.text(stack[key]) == key_;
}

/// Returns false if the memo has the list under a number that cannot hold a stand-in.
bool RecordStream::enter(std::size_t index) {
  const std::size_t outer = outer_of(index);
  const std::uint64_t number = machine_.document.list_size(machine_.stack[outer]) + (index - outer - 1);
  const Value stand_in(Kind::record_list, number);
  if (fresh_list_->is_memoized && !machine_.memo.replace_latest(machine_.stack[index], stand_in)) return false;
  // A second list with that number: the first one was not the one that the root holds.
  if (number < next_list_) give_up_at_opcode(PlainReason::other_traces);
  next_list_ = static_cast<std::size_t>(number) + 1;
  ++entered_lists_;
  machine_.stack[index] = stand_in;
  return true;
}

void RecordStream::finish() {
  check_memo();
  const Document& document = machine_.document;
  const Value lists = document.root.kind() == Kind::dict ? document.get(document.root, key_) : Value();
  std::size_t number = 0;
  std::size_t found = 0;
  bool is_in_place = true;
  const auto look_at = [&](Value list) {
    if (list.kind() == Kind::record_list) {
      ++found;
      is_in_place = list.payload() == number;
    }
    ++number;
    return is_in_place;
  };
  if (lists.kind() == Kind::list) document.for_each(lists, look_at);
  if (!is_in_place || found != entered_lists_) give_up_at_opcode(PlainReason::other_traces);
}

void RecordStream::append(Value list, std::span<const Value> items) {
  depth_ = kOutside;
  list_ = static_cast<std::size_t>(list.payload());
  for (const Value item : items)
    hand_over_dict(item);
}

void RecordStream::hand_over() {
  auto& stack = machine_.stack;
  const std::size_t first = machine_.marks.back();
  if (first == 0 || stack[first - 1] != Value(Kind::record_list, list_)) {
    depth_ = kOutside;
    return;
  }
  // The previous records are complete when the next one begins.
  while (machine_.cursor.next_is(Opcode::empty_dict)) {
    for (const Value item : std::span(stack).subspan(first))
      hand_over_dict(item);
    stack.resize(first);
    if (!scan_run()) return;
  }
}

void RecordStream::hand_over_dict(Value item) {
  if (item.kind() != Kind::dict) give_up_at_opcode(PlainReason::unexpected_value);
  machine_.document.freeze(item);
  sink_.take_dict(list_, item);
}

bool RecordStream::scan_run() {
  const std::uint64_t offset = machine_.cursor.offset();
  if (RecordRun* const run = lookahead_ ? lookahead_->take(offset) : nullptr) {
    hand_over_run(*run);
    return true;
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (scan_pattern((latest_pattern_ + i) % patterns_.size(), offset)) return true;
  }
  if (patterns_.size() == kMostPatterns) return false;
  auto pattern = scanner_.learn(offset, machine_.memo);
  if (!pattern) return false;
  if (lookahead_) lookahead_->add_pattern(*pattern, offset);
  patterns_.push_back(std::move(*pattern));
  return scan_pattern(patterns_.size() - 1, offset);
}

bool RecordStream::scan_pattern(std::size_t pattern, std::uint64_t offset) {
  run_.restart(offset);
  run_.pattern = pattern;
  scanner_.scan(patterns_[pattern], offset + kRunBytes, run_);
  if (run_.cells.empty()) return false;
  latest_pattern_ = pattern;
  hand_over_run(run_);
  return true;
}

void RecordStream::hand_over_run(RecordRun& run) {
  const RecordPattern& pattern = patterns_[run.pattern];
  using Entry = RecordPattern::Entry;
  const std::size_t columns = pattern.size();
  latest_text_.resize(std::max(latest_text_.size(), columns));
  next_put_ = 0;
  for (std::size_t row = 0; row < run.cells.size(); row += columns) {
    const bool is_memoized_first = pattern.memo_entry() == Entry::memoize || pattern.memo_entry() == Entry::put;
    if (is_memoized_first) memoize(Value(Kind::record, 0), run);
    for (std::size_t column = 0; column < columns; ++column) {
      Value& cell = run.cells[row + column];
      if (cell.kind() == Kind::memo_reference)
        cell = fetched(cell.payload());
      else if (is_inline(cell))
        cell = resolved(cell, run, column);
    }
    if (pattern.memo_entry() == Entry::put_after) memoize(Value(Kind::record, 0), run);
  }
  // Some entries were numbered and some were not.
  if (next_put_ != run.puts.size()) give_up_in_run(PlainReason::memo_numbers);
  sink_.take_rows(list_, {run.pattern, pattern.keys(), run.cells});
  machine_.cursor.seek(static_cast<std::size_t>(run.end_offset));
  machine_.progress.reached(run.end_offset);
}

/// Adds the next entry of the memo; a file that numbers its entries must have given it the next number.
void RecordStream::memoize(Value value, const RecordRun& run) {
  const bool is_numbered = !run.puts.empty();
  if (is_numbered && (next_put_ == run.puts.size() || run.puts[next_put_++] != machine_.memo.size()))
    give_up_in_run(PlainReason::memo_numbers);
  if (!machine_.memo.is_dense()) give_up_in_run(PlainReason::memo_numbers);
  machine_.memo.put_next(value);
}

/// Records fetch the same entries again and again, and entries do not change.
Value RecordStream::fetched(std::uint64_t number) {
  Fetched& latest = fetched_[number % kFetched];
  if (latest.number != number) latest = {number, checked(number)};
  return latest.value;
}

Value RecordStream::checked(std::uint64_t number) const {
  const Value value = machine_.memo.get(number);
  if (value.kind() == Kind::unset) give_up_in_run(PlainReason::damaged);
  if (is_stand_in(value.kind()) && value.kind() != Kind::digest) give_up_in_run(PlainReason::used_again);
  if (value.kind() >= Kind::list && value.kind() <= Kind::dict) machine_.document.freeze(value);
  return value;
}

/// Returns the value of a cell that was written in place.
Value RecordStream::resolved(Value cell, const RecordRun& run, std::size_t column) {
  Value value;
  switch (cell.kind()) {
  case Kind::digest: value = {Kind::digest, cell.payload() >> 1U}; break;
  case Kind::text: value = text_of(inline_text(bytes_, cell), column); break;
  case Kind::list: value = digest_of(run.lists[static_cast<std::size_t>(cell.payload() >> 1U)]); break;
  case Kind::tuple: value = pair_of(cell); break;
  default: return cell;
  }
  if (is_memoized(cell)) memoize(value, run);
  return value;
}

/// Most text columns repeat the value of the previous record.
Value RecordStream::text_of(std::string_view text, std::size_t column) {
  Value& latest = latest_text_[column];
  if (latest.kind() != Kind::text || machine_.document.text(latest) != text) latest = machine_.document.add_text(text);
  return latest;
}

Value RecordStream::digest_of(const InlineList& list) {
  if (const DigestedList* const known = digests_.find(list.fetches, list.hash)) {
    guesses_.add(*known);
    return known->value;
  }
  items_.clear();
  const char* const end = list.fetches.data() + list.fetches.size();
  for (const char* fetch = list.fetches.data(); fetch != end; fetch += fetch_bytes(fetch))
    items_.push_back(fetched(fetched_number(fetch)));
  const Value value = sink_.digest(items_);
  guesses_.add(*digests_.add(list.fetches, list.hash, value));
  return value;
}

/// Tuples are immutable, so equal ones can be shared.
Value RecordStream::pair_of(Value cell) {
  const auto pair = inline_pair(cell);
  if (latest_pair_.second.kind() != Kind::unset && latest_pair_.first == pair) return latest_pair_.second;
  const auto [entry, is_new] = pairs_.try_emplace(pair);
  if (is_new) {
    const std::array<Value, 2> items{Value::integer(static_cast<std::int64_t>(pair.first)),
                                     Value::integer(static_cast<std::int64_t>(pair.second))};
    entry->second = machine_.document.add_list(Kind::tuple);
    machine_.document.append(entry->second, items);
  }
  latest_pair_ = *entry;
  return entry->second;
}

} // namespace memviz::fast_reader
