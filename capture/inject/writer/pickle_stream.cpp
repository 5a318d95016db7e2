#include "pickle_stream.hpp"

#include "utf8.hpp"

#include <bit>
#include <limits>
#include <ostream>

namespace memviz::capture {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{64} * 1024;
/// As in Python's pickle module: readers that call a function with a batch as arguments have a limit.
constexpr std::size_t kBatch = 1000;

constexpr char kMark = '(';

} // namespace

PickleStream::PickleStream(std::ostream& out) : out_(out) {
  out_.write("\x80\x04", 2);
  frame_.reserve(kFrameBytes + 256);
}

// An open container has a MARK on the reader's stack while its batch is not empty; APPENDS and SETITEMS end a batch.
void PickleStream::begin_value() {
  if (values_in_batch_.empty()) return;
  std::size_t& values = values_in_batch_.back();
  const std::size_t limit = batch_limits_.back();
  if (values == limit) {
    put(limit == kBatch ? 'e' : 'u');
    values = 0;
  }
  if (values == 0) put(kMark);
  ++values;
}

void PickleStream::begin_dict() {
  begin_value();
  put('}');
  values_in_batch_.push_back(0);
  batch_limits_.push_back(2 * kBatch);
}

void PickleStream::begin_list() {
  begin_value();
  put(']');
  values_in_batch_.push_back(0);
  batch_limits_.push_back(kBatch);
}

void PickleStream::end(char opcode) {
  if (values_in_batch_.back() != 0) put(opcode);
  values_in_batch_.pop_back();
  batch_limits_.pop_back();
  end_opcode();
}

void PickleStream::boolean(bool value) {
  begin_value();
  put(value ? '\x88' : '\x89');
  end_opcode();
}

void PickleStream::integer(std::int64_t value) {
  begin_value();
  if (value >= 0) {
    put_natural(static_cast<std::uint64_t>(value));
  } else if (value >= std::numeric_limits<std::int32_t>::min()) {
    put('J');
    put_little_endian(static_cast<std::uint64_t>(value), 4);
  } else {
    put_long(static_cast<std::uint64_t>(value), true);
  }
  end_opcode();
}

void PickleStream::natural(std::uint64_t value) {
  begin_value();
  put_natural(value);
  end_opcode();
}

void PickleStream::real(double value) {
  begin_value();
  put('G');
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 64; shift != 0; shift -= 8)
    put(static_cast<char>((bits >> (shift - 8)) & 0xFFU)); // big-endian
  end_opcode();
}

void PickleStream::text(std::string_view value) {
  if (const auto known = texts_.find(value); known != texts_.end()) return reference(known->second);
  const std::string repaired = is_utf8(value) ? std::string() : to_utf8(value);
  const std::string_view bytes = repaired.empty() ? value : repaired;
  begin_value();
  if (bytes.size() < 0x100) {
    put('\x8C');
    put_little_endian(bytes.size(), 1);
  } else if (bytes.size() <= 0xFFFFFFFFU) {
    put('X');
    put_little_endian(bytes.size(), 4);
  } else {
    put('\x8D');
    put_little_endian(bytes.size(), 8);
  }
  frame_.append(bytes);
  texts_.emplace(value, memoize());
}

void PickleStream::pair(std::uint64_t first, std::uint64_t second) {
  begin_value();
  put_natural(first);
  put_natural(second);
  put('\x86');
  end_opcode();
}

MemoId PickleStream::memoize() {
  put('\x94');
  end_opcode();
  return memo_size_++;
}

void PickleStream::reference(MemoId id) {
  begin_value();
  put(id < 0x100 ? 'h' : 'j');
  put_little_endian(id, id < 0x100 ? 1 : 4);
  end_opcode();
}

void PickleStream::finish() {
  put('.');
  write_frame();
  out_.flush();
}

// No opcode may be split between two frames, so frames end only between values.
void PickleStream::end_opcode() {
  if (frame_.size() >= kFrameBytes) write_frame();
}

void PickleStream::write_frame() {
  char header[9] = {'\x95'};
  for (unsigned i = 0; i < 8; ++i)
    header[i + 1] = static_cast<char>((frame_.size() >> (8 * i)) & 0xFFU);
  out_.write(header, sizeof header);
  out_.write(frame_.data(), static_cast<std::streamsize>(frame_.size()));
  frame_.clear();
}

void PickleStream::put_little_endian(std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    put(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

void PickleStream::put_natural(std::uint64_t value) {
  if (value < 0x100) {
    put('K');
    put_little_endian(value, 1);
  } else if (value < 0x10000) {
    put('M');
    put_little_endian(value, 2);
  } else if (value <= 0x7FFFFFFF) {
    put('J');
    put_little_endian(value, 4);
  } else {
    put_long(value, false);
  }
}

// Two's complement with as few bytes as preserve the sign; a ninth byte for numbers that need more than 63 bits.
void PickleStream::put_long(std::uint64_t value, bool negative) {
  const std::uint64_t magnitude = negative ? ~value : value;
  const auto bytes = static_cast<std::size_t>(std::bit_width(magnitude)) / 8 + 1;
  put('\x8A');
  put_little_endian(bytes, 1);
  put_little_endian(value, bytes == 9 ? 8 : bytes);
  if (bytes == 9) put('\0');
}

} // namespace memviz::capture
