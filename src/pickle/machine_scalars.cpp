#include "memviz/error.hpp"
#include "pickle/machine.hpp"
#include "pickle/text_arguments.hpp"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace memviz::pickle {
namespace {

/// Returns a two's complement integer of more than 64 bits in double precision; infinite if that is too small.
double rounded(std::string_view little_endian) {
  const bool is_negative = (static_cast<std::uint8_t>(little_endian.back()) & 0x80U) != 0;
  double magnitude = 0;
  for (auto byte = little_endian.rbegin(); byte != little_endian.rend(); ++byte) {
    const auto bits = static_cast<std::uint8_t>(*byte);
    magnitude = magnitude * 256 + (is_negative ? 255 - bits : bits);
  }
  return is_negative ? -magnitude - 1 : magnitude;
}

} // namespace

Value Machine::long_integer(std::string_view little_endian) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(little_endian[i]); };
  std::size_t size = little_endian.size();
  if (size == 0) return Value::integer(0);
  const bool is_negative = (byte(size - 1) & 0x80U) != 0;
  // A top byte that only extends the sign carries no information: 2^64 - 1 is written as nine bytes.
  while (size > 8 && byte(size - 1) == (is_negative ? 0xFF : 0x00))
    --size;
  const bool fits = size <= 8 && (size < little_endian.size() ? !is_negative || (byte(7) & 0x80U) != 0 : true);
  if (!fits) return document_.add_rounded_integer(rounded(little_endian.substr(0, size + 1)));
  std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&bits, little_endian.data(), size);
  return is_negative ? document_.add_integer(static_cast<std::int64_t>(bits)) : document_.add_unsigned(bits);
}

Value Machine::big_endian_double(std::uint64_t little_endian) {
  return document_.add_real(std::bit_cast<double>(__builtin_bswap64(little_endian)));
}

std::uint64_t Machine::unsigned_size(std::uint32_t bits, const char* of_what) const {
  const auto size = static_cast<std::int32_t>(bits);
  if (size < 0) fail(fmt::format("the size of {}", of_what), fmt::format("{}", size));
  return static_cast<std::uint64_t>(size);
}

void Machine::run_text(Opcode opcode) {
  const std::uint64_t at = cursor_.offset();
  switch (opcode) {
  case Opcode::int_text: push(parse_int(document_, argument<Opcode::int_text>(), at)); break;
  case Opcode::long_text: push(parse_long(document_, argument<Opcode::long_text>(), at)); break;
  case Opcode::float_text: push(document_.add_real(parse_float(argument<Opcode::float_text>(), at))); break;
  case Opcode::string: push(document_.add_owned_text(parse_quoted(argument<Opcode::string>(), at))); break;
  case Opcode::unicode: push(document_.add_owned_text(parse_raw_unicode(argument<Opcode::unicode>(), at))); break;
  case Opcode::put: put(parse_memo_number(argument<Opcode::put>(), at)); break;
  default: push(memo_value(parse_memo_number(argument<Opcode::get>(), at))); break;
  }
}

} // namespace memviz::pickle
