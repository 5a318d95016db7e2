#include "formats/pickle_writer.hpp"

#include "memviz/error.hpp"

#include <array>
#include <bit>
#include <limits>

namespace memviz {

using pickle::Opcode;

namespace {

constexpr std::uint64_t kMostByte = 0xFF;
constexpr std::uint64_t kMostShort = 0xFFFF;

} // namespace

PickleWriter::PickleWriter(const TextSink& sink) : output_(sink) {
  add(Opcode::proto);
  add_number(4, 1);
}

void PickleWriter::finish() {
  add(Opcode::stop);
  output_.flush();
}

void PickleWriter::add(Opcode opcode) {
  const auto byte = static_cast<char>(opcode);
  output_.add({&byte, 1});
}

void PickleWriter::add_number(std::uint64_t number, std::size_t bytes) {
  std::array<char, sizeof number> little_endian{};
  for (std::size_t i = 0; i < bytes; ++i)
    little_endian.at(i) = static_cast<char>(number >> (8 * i) & kMostByte);
  output_.add({little_endian.data(), bytes});
}

MemoPlace PickleWriter::memoize() {
  if (memo_size_ == std::numeric_limits<std::uint32_t>::max() - 1)
    throw Error("a pickle cannot hold more than 2^32 texts, frames and stacks");
  add(Opcode::memoize);
  return MemoPlace(memo_size_++);
}

void PickleWriter::fetch(MemoPlace place) {
  const bool is_short = place.index() <= kMostByte;
  add(is_short ? Opcode::binget : Opcode::long_binget);
  add_number(place.index(), is_short ? 1 : 4);
}

void PickleWriter::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) return unsigned_integer(bits);
  if (value >= std::numeric_limits<std::int32_t>::min()) {
    add(Opcode::binint);
    return add_number(bits, 4);
  }
  std::size_t bytes = 5;
  while (bytes < 8 && value < -(std::int64_t{1} << (8 * bytes - 1)))
    ++bytes;
  add(Opcode::long1);
  add_number(bytes, 1);
  add_number(bits, bytes);
}

void PickleWriter::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  add(Opcode::binfloat);
  for (unsigned shift = 64; shift > 0; shift -= 8)
    add_number(bits >> (shift - 8) & kMostByte, 1); // big-endian, unlike all other numbers
}

void PickleWriter::unsigned_integer(std::uint64_t value) {
  if (value <= kMostByte) {
    add(Opcode::binint1);
    return add_number(value, 1);
  }
  if (value <= kMostShort) {
    add(Opcode::binint2);
    return add_number(value, 2);
  }
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    add(Opcode::binint);
    return add_number(value, 4);
  }
  // The highest bit is the sign: a number that has it set needs one more byte.
  std::size_t bytes = 4;
  while (bytes < 8 && value >> (8 * bytes - 1) != 0)
    ++bytes;
  const bool needs_sign = value >> 63U != 0;
  add(Opcode::long1);
  add_number(bytes + (needs_sign ? 1 : 0), 1);
  add_number(value, bytes);
  if (needs_sign) add_number(0, 1);
}

void PickleWriter::pair(std::uint64_t first, std::uint64_t second) {
  unsigned_integer(first);
  unsigned_integer(second);
  add(Opcode::tuple2);
}

void PickleWriter::word(std::string_view text) {
  this->text(text, words_[text]);
}

/// The length takes four bytes, which end in a NUL for every real text, so the search for what --redact hides sees
/// where the text begins.
void PickleWriter::text(std::string_view text, MemoPlace& place) {
  if (!place.is_none()) return fetch(place);
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error("a pickle cannot hold a text of more than 4 GiB");
  add(Opcode::binunicode);
  add_number(text.size(), 4);
  output_.add(text);
  place = memoize();
}

void PickleWriter::begin(Opcode container) {
  add(container);
  add(Opcode::mark);
}

MemoPlace PickleWriter::begin_kept_list() {
  const MemoPlace place = empty_kept_list();
  add(Opcode::mark);
  return place;
}

MemoPlace PickleWriter::empty_kept_list() {
  add(Opcode::empty_list);
  return memoize();
}

void PickleWriter::begin_kept_dict(MemoPlace& place) {
  add(Opcode::empty_dict);
  place = memoize();
  add(Opcode::mark);
}

} // namespace memviz
