#include "base/hash.hpp"
#include "fast_reader/record_scanner.hpp"
#include "pickle/opcode_bytes.hpp"

// The values of records.

namespace memviz::fast_reader {

using pickle::argument_at;
using pickle::fetch_bytes;
using pickle::kHeadBytes;
using pickle::number_at;
using pickle::Opcode;
using pickle::opcode_at;

namespace {

constexpr std::uint64_t kMostTextBytes = 0x7FFF;
constexpr unsigned kTextSizeBits = 15;
constexpr std::uint64_t kMostPairItem = 0xFFFFFFF;
constexpr unsigned kPairItemBits = 28;

template <Opcode kOpcode> Value reference_to(const char* at) {
  return {Kind::memo_reference, argument_at<kOpcode>(at)};
}

/// Returns the number of the LONG1 at `at`: 0 to 8 bytes, sign-extended.
std::int64_t long1_at(const char* at, unsigned size) {
  if (size == 0) return 0;
  const unsigned unused_bits = 64 - 8 * size;
  const auto bits = number_at<std::uint64_t>(at + kHeadBytes<Opcode::long1>);
  return static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
}

struct SmallInteger {
  std::uint64_t value = 0;
  std::size_t bytes = 0; ///< of its opcode; 0 if it is not one
};

template <Opcode kOpcode> SmallInteger small_integer(const char* at) {
  return {argument_at<kOpcode>(at), kHeadBytes<kOpcode>};
}

/// Parses a number that is not negative and in one of the short forms, as the two of a pool id are.
SmallInteger small_integer_at(const char* at) {
  switch (opcode_at(at)) {
  case Opcode::binint1: return small_integer<Opcode::binint1>(at);
  case Opcode::binint2: return small_integer<Opcode::binint2>(at);
  case Opcode::binint: return small_integer<Opcode::binint>(at);
  default: return {};
  }
}

} // namespace

std::string_view inline_text(std::string_view bytes, Value cell) {
  const std::uint64_t offset_and_size = cell.payload() >> 1U;
  return bytes.substr(static_cast<std::size_t>(offset_and_size >> kTextSizeBits),
                      static_cast<std::size_t>(offset_and_size & kMostTextBytes));
}

std::pair<std::uint64_t, std::uint64_t> inline_pair(Value cell) {
  const std::uint64_t items = cell.payload() >> 1U;
  return {items >> kPairItemBits, items & kMostPairItem};
}

const char* RecordScanner::scan_value(const char* at, Value& cell, RecordRun& run) const {
  switch (opcode_at(at)) {
  case Opcode::binget: cell = reference_to<Opcode::binget>(at); return at + kHeadBytes<Opcode::binget>;
  case Opcode::long_binget: cell = reference_to<Opcode::long_binget>(at); return at + kHeadBytes<Opcode::long_binget>;
  case Opcode::binint1:
  case Opcode::binint2: {
    const SmallInteger number = small_integer_at(at);
    if (small_integer_at(at + number.bytes).bytes != 0) return scan_pair(at, cell, run);
    cell = Value::integer(static_cast<std::int64_t>(number.value));
    return at + number.bytes;
  }
  case Opcode::binint:
    if (small_integer_at(at + kHeadBytes<Opcode::binint>).bytes != 0) return scan_pair(at, cell, run);
    cell = Value::integer(static_cast<std::int32_t>(argument_at<Opcode::binint>(at)));
    return at + kHeadBytes<Opcode::binint>;
  case Opcode::long1: {
    const unsigned size = argument_at<Opcode::long1>(at);
    if (size > 8) return nullptr;
    const std::int64_t number = long1_at(at, size);
    if (!Value::fits_inline(number)) return nullptr;
    cell = Value::integer(number);
    return at + kHeadBytes<Opcode::long1> + size;
  }
  case Opcode::none: cell = Value::none(); return at + 1;
  case Opcode::newtrue: cell = Value::boolean(true); return at + 1;
  case Opcode::newfalse: cell = Value::boolean(false); return at + 1;
  case Opcode::short_binunicode: return scan_text<Opcode::short_binunicode>(at, cell, run);
  case Opcode::binunicode: return scan_text<Opcode::binunicode>(at, cell, run);
  case Opcode::empty_list: return scan_list(at + 1, cell, run);
  default: return nullptr;
  }
}

/// Parses two integers and TUPLE2.
const char* RecordScanner::scan_pair(const char* at, Value& cell, RecordRun& run) const {
  const SmallInteger first = small_integer_at(at);
  at += first.bytes;
  const SmallInteger second = small_integer_at(at);
  at += second.bytes;
  if (second.bytes == 0 || first.value > kMostPairItem || second.value > kMostPairItem) return nullptr;
  if (opcode_at(at) != Opcode::tuple2) return nullptr;
  bool is_memoized = false;
  at = past_put(at + 1, is_memoized, run);
  cell = {Kind::tuple, (first.value << kPairItemBits | second.value) << 1U | (is_memoized ? 1U : 0U)};
  return at;
}

template <Opcode kOpcode> const char* RecordScanner::scan_text(const char* at, Value& cell, RecordRun& run) const {
  const std::size_t size = argument_at<kOpcode>(at);
  at += kHeadBytes<kOpcode>;
  if (size > kMostTextBytes || static_cast<std::size_t>(end() - at) < size || !has_room(at + size)) return nullptr;
  bool is_memoized = false;
  const char* const after = past_put(at + size, is_memoized, run);
  cell = {Kind::text, (offset_of(at) << kTextSizeBits | size) << 1U | (is_memoized ? 1U : 0U)};
  return after;
}

/// Finds a list that was digested before, if its fetches are the bytes at `at` up to APPENDS.
const DigestedList* RecordScanner::guessed_list(const char* at) const {
  if (guesses_ == nullptr) return nullptr;
  const std::string_view rest(at, static_cast<std::size_t>(end() - at));
  const DigestedList* const known = guesses_->find(rest);
  if (known == nullptr || !has_room(at + known->bytes.size())) return nullptr;
  return opcode_at(at + known->bytes.size()) == Opcode::appends ? known : nullptr;
}

/// Python memoizes a list before it fills it, PyTorch's C++ writer afterwards.
const char* RecordScanner::scan_list(const char* at, Value& cell, RecordRun& run) const {
  bool is_memoized = false;
  at = past_put(at, is_memoized, run);
  const char* begin = at;
  const char* end = at;
  if (opcode_at(at) == Opcode::mark) {
    begin = end = at + 1;
    if (const DigestedList* const known = guessed_list(begin)) {
      at = begin + known->bytes.size() + 1;
      if (!is_memoized) at = past_put(at, is_memoized, run);
      cell = {Kind::digest, known->value.payload() << 1U | (is_memoized ? 1U : 0U)};
      return at;
    }
    while (has_room(end) && fetch_bytes(end) != 0)
      end += fetch_bytes(end);
    if (!has_room(end) || opcode_at(end) != Opcode::appends) return nullptr;
    at = end + 1;
  } else if (const std::size_t only = fetch_bytes(at); only != 0 && opcode_at(at + only) == Opcode::append) {
    end = at + only;
    at = end + 1;
  } // else it is empty, and what follows is the record's next key
  if (!is_memoized) at = past_put(at, is_memoized, run);
  const std::string_view fetches(begin, static_cast<std::size_t>(end - begin));
  cell = {Kind::list, run.lists.size() << 1U | (is_memoized ? 1U : 0U)};
  run.lists.push_back({fetches, hash_of(fetches)});
  return at;
}

} // namespace memviz::fast_reader
