#include "pickle/record_stream.hpp"

#include "pickle/cursor.hpp"
#include "pickle/memo.hpp"
#include "pickle/opcode_bytes.hpp"
#include "pickle/progress.hpp"

#include <algorithm>
#include <array>

namespace memviz::pickle {
namespace {

/// What the machine scans at once, so that the cells stay in the processor's cache.
constexpr std::uint64_t kRunBytes = std::uint64_t{1} << 15U;

/// Whether a cell of a RecordRun was written in place and is more than a value.
bool is_inline(Value cell) {
  constexpr std::uint32_t kKinds = 1U << static_cast<unsigned>(Kind::text) | 1U << static_cast<unsigned>(Kind::list) |
                                   1U << static_cast<unsigned>(Kind::tuple) | 1U << static_cast<unsigned>(Kind::digest);
  return (kKinds >> static_cast<unsigned>(cell.kind()) & 1U) != 0;
}

} // namespace

RecordStream::RecordStream(const MachineState& machine, RecordSink& sink, std::string_view bytes, unsigned threads)
    : machine_(machine), sink_(sink), bytes_(bytes), scanner_(bytes, &guesses_), lookahead_(bytes, guesses_, threads) {
  machine_.memo.keep_entries();
}

void RecordStream::after_mark() {
  // The root's mark and that of the list itself, with or without one of the list around it.
  const auto& marks = machine_.marks;
  if (marks.size() != 2 && marks.size() != 3) return;
  if (marks.back() == 0) return;
  const std::size_t index = marks.back() - 1;
  const Value list = machine_.stack[index];
  if (list.kind() == Kind::list && is_record_list(index)) {
    enter(index);
  } else if (list.kind() != Kind::record_list) {
    return;
  }
  list_ = static_cast<std::size_t>(machine_.stack[index].payload());
  depth_ = marks.size();
  hand_over();
}

/// Where in the stack the list is that holds the one at `index`.
std::size_t RecordStream::outer_of(std::size_t index) const {
  const auto& marks = machine_.marks;
  return marks.size() == 3 ? marks[1] - 1 : index - 1;
}

bool RecordStream::is_record_list(std::size_t index) const {
  const auto& stack = machine_.stack;
  const auto& marks = machine_.marks;
  const Document& document = machine_.document;
  if (marks[0] != 1 || stack[0].kind() != Kind::dict) return false;
  if (index < 4 || marks[1] < 1) return false;
  const std::size_t outer = outer_of(index);
  if (outer < 2 || outer >= index || stack[outer].kind() != Kind::list) return false;
  const Value key = stack[outer - 1];
  const bool is_key = (outer - 1 - marks[0]) % 2 == 0;
  return is_key && key.kind() == Kind::text && document.text(key) == sink_.key() &&
         document.list_size(stack[index]) == 0;
}

void RecordStream::enter(std::size_t index) {
  const std::size_t outer = outer_of(index);
  const std::uint64_t number = machine_.document.list_size(machine_.stack[outer]) + (index - outer - 1);
  const Value list = machine_.stack[index];
  // A second list with that number: the first one was not, after all, what the root holds.
  if (number < next_list_) throw ContentWasUsed();
  next_list_ = static_cast<std::size_t>(number) + 1;
  const Value stand_in(Kind::record_list, number);
  machine_.document.hand_over(list);
  machine_.memo.replace_last(list, stand_in);
  machine_.stack[index] = stand_in;
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
  // Where the next record begins, the ones before it are complete.
  while (machine_.cursor.next_is(Opcode::empty_dict)) {
    for (const Value item : std::span(stack).subspan(first))
      hand_over_dict(item);
    stack.resize(first);
    if (!scan_run()) return;
  }
}

void RecordStream::hand_over_dict(Value item) {
  if (item.kind() != Kind::dict) throw ContentWasUsed();
  machine_.document.freeze(item);
  sink_.take_dict(list_, item);
}

bool RecordStream::scan_run() {
  const std::uint64_t offset = machine_.cursor.offset();
  if (RecordRun* const run = lookahead_.take(offset)) {
    hand_over_run(*run);
    return true;
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (scan_pattern((latest_pattern_ + i) % patterns_.size(), offset)) return true;
  }
  if (patterns_.size() == kMostPatterns) return false;
  auto pattern = scanner_.learn(offset, machine_.memo);
  if (!pattern) return false;
  lookahead_.add_pattern(*pattern, offset);
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
  if (next_put_ != run.puts.size()) throw ContentWasUsed();
  sink_.take_rows(list_, {run.pattern, pattern.keys(), run.cells});
  machine_.cursor.seek(static_cast<std::size_t>(run.end_offset));
  machine_.progress.reached(run.end_offset);
}

/// The next entry of the memo; a writer that numbers its entries must have given it the next number.
void RecordStream::memoize(Value value, const RecordRun& run) {
  if (!run.puts.empty() && (next_put_ == run.puts.size() || run.puts[next_put_++] != machine_.memo.size()))
    throw ContentWasUsed();
  machine_.memo.add(value);
}

/// Records fetch the same again and again, and entries do not change.
Value RecordStream::fetched(std::uint64_t number) {
  Fetched& latest = fetched_[number % kFetched];
  if (latest.number != number) latest = {number, checked(number)};
  return latest.value;
}

Value RecordStream::checked(std::uint64_t number) const {
  const Value value = machine_.memo.get(number);
  const bool is_known = value.kind() != Kind::unset && value.kind() < Kind::record;
  if (!is_known && value.kind() != Kind::digest) throw ContentWasUsed();
  if (value.kind() >= Kind::list && value.kind() <= Kind::dict) machine_.document.freeze(value);
  return value;
}

/// Of a cell that was written in place.
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

/// Most columns of text say the same as in the record before.
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

/// Tuples cannot change, so equal ones can be one.
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

} // namespace memviz::pickle
