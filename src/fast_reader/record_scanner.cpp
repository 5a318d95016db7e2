#include "fast_reader/record_scanner.hpp"

#include "pickle/opcode_bytes.hpp"

namespace memviz::fast_reader {

using pickle::argument_at;
using pickle::fetch_bytes;
using pickle::fetched_number;
using pickle::is_number;
using pickle::kHeadBytes;
using pickle::number_bytes;
using pickle::Opcode;
using pickle::opcode_at;
using pickle::opcode_info;
using pickle::OpcodeArgument;

namespace {

constexpr std::size_t kMostKeys = 64;

/// Returns the form of the key and value of `bytes` at `at`.
RecordForm form_of(const char* at, std::size_t key_bytes, std::size_t bytes, Value cell) {
  const char* const value = at + key_bytes;
  const auto number_of = [&](std::size_t of_number, bool is_signed) {
    return RecordForm::of_number(at, bytes - of_number, of_number, is_signed, cell.kind());
  };
  const OpcodeArgument argument = opcode_info(opcode_at(value)).argument;
  if (cell.kind() == Kind::memo_reference) return number_of(number_bytes(argument), false);
  if (cell.kind() == Kind::integer) {
    if (is_number(argument)) return number_of(number_bytes(argument), opcode_at(value) == Opcode::binint);
    const std::size_t long1_bytes = argument_at<Opcode::long1>(value);
    if (long1_bytes > 0 && long1_bytes <= RecordForm::kMostNumberBytes) return number_of(long1_bytes, true);
  }
  if (bytes <= RecordForm::kLookAhead) return RecordForm::of_constant(at, bytes, cell);
  return {};
}

} // namespace

void RecordScanner::scan(const RecordPattern& pattern, std::uint64_t stop_offset, RecordRun& run) {
  const std::size_t columns = pattern.size();
  if (forms_.size() <= run.pattern) forms_.resize(run.pattern + 1);
  std::vector<RecordForm>& forms = forms_[run.pattern];
  forms.resize(columns);
  std::size_t filled = run.cells.size();
  while (run.end_offset < stop_offset) {
    if (run.cells.size() < filled + columns) run.cells.resize(2 * filled + columns);
    const auto cells = std::span(run.cells).subspan(filled, columns);
    const char* at = try_record(pattern, cells, forms, run);
    if (at == nullptr) {
      // Bytes that look like an earlier value may be the beginning of a different one.
      new_forms_.assign(columns, RecordForm());
      at = try_record(pattern, cells, new_forms_, run);
      if (at == nullptr) break;
      forms.swap(new_forms_);
    }
    filled += columns;
    if (const char* const next = past_batch_end(at)) at = next;
    run.end_offset = offset_of(at);
  }
  run.cells.resize(filled);
}

/// Scans the record at run.end_offset.
const char* RecordScanner::try_record(const RecordPattern& pattern, std::span<Value> cells, std::span<RecordForm> forms,
                                      RecordRun& run) const {
  const std::size_t lists = run.lists.size();
  const std::size_t puts = run.puts.size();
  const char* const at = scan_record(pattern, cells, forms, run);
  if (at == nullptr) {
    run.lists.resize(lists);
    run.puts.resize(puts);
  }
  return at;
}

std::optional<FreshList> RecordScanner::fresh_list(std::uint64_t offset) const {
  FreshList list;
  RecordRun ignored;
  const char* at = past_frames(bytes_.data() + offset);
  if (at != nullptr) at = past_frames(past_put(at, list.is_memoized, ignored));
  if (at == nullptr || opcode_at(at) != Opcode::mark) return std::nullopt;
  list.mark_offset = offset_of(at);
  return list;
}

std::optional<RecordPattern> RecordScanner::learn(std::uint64_t offset, const pickle::Memo& memo) const {
  const char* at = bytes_.data() + offset;
  if (!has_room(at) || opcode_at(at) != Opcode::empty_dict) return std::nullopt;
  RecordRun ignored;
  bool is_memoized = false;
  at = past_put(at + 1, is_memoized, ignored);
  if (opcode_at(at) != Opcode::mark) return std::nullopt;
  ++at;
  const auto memo_before = ignored.puts.empty() ? RecordPattern::Entry::memoize : RecordPattern::Entry::put;
  RecordPattern pattern(is_memoized ? memo_before : RecordPattern::Entry::none);
  while (true) {
    at = past_frames(at);
    if (at == nullptr) return std::nullopt;
    if (opcode_at(at) == Opcode::setitems && pattern.size() > 0) {
      past_put(at + 1, is_memoized, ignored);
      if (is_memoized) pattern.memoize_after();
      return pattern;
    }
    const std::size_t bytes = fetch_bytes(at);
    if (bytes == 0 || pattern.size() == kMostKeys) return std::nullopt;
    const Value key = memo.get(fetched_number(at));
    if (key.kind() != Kind::text) return std::nullopt;
    pattern.add(key, {at, bytes});
    at = past_frames(at + bytes);
    Value cell;
    if (at == nullptr || (at = scan_value(at, cell, ignored)) == nullptr) return std::nullopt;
  }
}

const char* RecordScanner::scan_record(const RecordPattern& pattern, std::span<Value> cells,
                                       std::span<RecordForm> forms, RecordRun& run) const {
  const char* at = bytes_.data() + run.end_offset;
  if (!has_room(at) || opcode_at(at) != Opcode::empty_dict) return nullptr;
  bool is_memoized = false;
  at = past_put(at + 1, is_memoized, run);
  using Entry = RecordPattern::Entry;
  if (is_memoized != (pattern.memo_entry() == Entry::memoize || pattern.memo_entry() == Entry::put)) return nullptr;
  if (opcode_at(at) != Opcode::mark) return nullptr;
  ++at;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    RecordForm& form = forms[column];
    if (!has_room(at)) return nullptr;
    if (form.matches(at)) {
      cells[column] = form.value(at);
      at += form.bytes();
      continue;
    }
    at = past_frames(at);
    const std::size_t key_bytes = at == nullptr ? 0 : pattern.matches(column, at);
    if (key_bytes == 0) return nullptr;
    at = scan_column(at, key_bytes, cells[column], form, run);
  }
  at = past_frames(at);
  if (at == nullptr || opcode_at(at) != Opcode::setitems) return nullptr;
  at = past_put(at + 1, is_memoized, run);
  return is_memoized == (pattern.memo_entry() == Entry::put_after) ? at : nullptr;
}

/// Scans a key, of `key_bytes`, and its value, and remembers their form.
const char* RecordScanner::scan_column(const char* at, std::size_t key_bytes, Value& cell, RecordForm& form,
                                       RecordRun& run) const {
  const char* const value = past_frames(at + key_bytes);
  if (value == nullptr) return nullptr;
  const std::size_t puts = run.puts.size();
  const char* const end = scan_value(value, cell, run);
  // Lists differ too much, and a number given to the memo is different each time.
  const bool has_form = end != nullptr && value == at + key_bytes && cell.kind() != Kind::list &&
                        cell.kind() != Kind::digest && run.puts.size() == puts;
  if (has_form) form = form_of(at, key_bytes, static_cast<std::size_t>(end - at), cell);
  return end;
}

/// Files may start a frame between any two opcodes. Also returns null near the end of the file.
const char* RecordScanner::past_frames(const char* at) const {
  while (has_room(at) && opcode_at(at) == Opcode::frame) {
    const char* const inside = at + kHeadBytes<Opcode::frame>;
    if (argument_at<Opcode::frame>(at) > static_cast<std::uint64_t>(end() - inside)) return nullptr;
    at = inside;
  }
  return has_room(at) ? at : nullptr;
}

/// Reads MEMOIZE, BINPUT or LONG_BINPUT, if there is one.
const char* RecordScanner::past_put(const char* at, bool& is_memoized, RecordRun& run) const {
  is_memoized = true;
  switch (opcode_at(at)) {
  case Opcode::memoize: return at + 1;
  case Opcode::binput: run.puts.push_back(argument_at<Opcode::binput>(at)); return at + kHeadBytes<Opcode::binput>;
  case Opcode::long_binput:
    run.puts.push_back(argument_at<Opcode::long_binput>(at));
    return at + kHeadBytes<Opcode::long_binput>;
  default: is_memoized = false; return at;
  }
}

/// Reads APPENDS and MARK: Python writes lists in batches of a thousand.
const char* RecordScanner::past_batch_end(const char* at) const {
  at = past_frames(at);
  if (at == nullptr || opcode_at(at) != Opcode::appends) return at;
  at = past_frames(at + 1);
  return at != nullptr && opcode_at(at) == Opcode::mark ? at + 1 : nullptr;
}

} // namespace memviz::fast_reader
