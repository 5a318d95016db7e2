#include "memviz/error.hpp"
#include "pickle/machine.hpp"
#include "pickle/text_arguments.hpp"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace memviz::pickle {
namespace {

/// BINFLOAT is the one big-endian number of the format.
double big_endian_double(std::uint64_t little_endian) {
  return std::bit_cast<double>(__builtin_bswap64(little_endian));
}

} // namespace

Value Machine::long_integer(std::string_view little_endian) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(little_endian[i]); };
  std::size_t size = little_endian.size();
  if (size == 0) return Value::integer(0);
  const bool is_negative = (byte(size - 1) & 0x80U) != 0;
  // A top byte that only extends the sign says nothing: 2^64 - 1 arrives as nine bytes.
  while (size > 8 && byte(size - 1) == (is_negative ? 0xFF : 0x00))
    --size;
  const bool fits = size <= 8 && (size < little_endian.size() ? !is_negative || (byte(7) & 0x80U) != 0 : true);
  if (!fits) fail("an integer of at most 64 bits", fmt::format("one of {} bytes", little_endian.size()));
  std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&bits, little_endian.data(), size);
  return is_negative ? document_.add_integer(static_cast<std::int64_t>(bits)) : document_.add_unsigned(bits);
}

bool Machine::run_scalar(Opcode opcode) {
  switch (opcode) {
  case Opcode::binint1: push(Value::integer(cursor_.number<std::uint8_t>())); return true;
  case Opcode::binint2: push(Value::integer(cursor_.number<std::uint16_t>())); return true;
  case Opcode::binint: push(Value::integer(static_cast<std::int32_t>(cursor_.number<std::uint32_t>()))); return true;
  case Opcode::long1: push(long_integer(cursor_.take(cursor_.number<std::uint8_t>()))); return true;
  case Opcode::long4: {
    const auto size = static_cast<std::int32_t>(cursor_.number<std::uint32_t>());
    if (size < 0) fail("the size of an integer", fmt::format("{}", size));
    push(long_integer(cursor_.take(static_cast<std::uint64_t>(size))));
    return true;
  }
  case Opcode::none: push(Value::none()); return true;
  case Opcode::newtrue: push(Value::boolean(true)); return true;
  case Opcode::newfalse: push(Value::boolean(false)); return true;
  case Opcode::binfloat: push(document_.add_real(big_endian_double(cursor_.number<std::uint64_t>()))); return true;
  case Opcode::short_binunicode: push_text(cursor_.take(cursor_.number<std::uint8_t>())); return true;
  case Opcode::binunicode: push_text(cursor_.take(cursor_.number<std::uint32_t>())); return true;
  case Opcode::binunicode8: push_text(cursor_.take(cursor_.number<std::uint64_t>())); return true;
  case Opcode::short_binbytes:
    push(document_.add_text(cursor_.take(cursor_.number<std::uint8_t>()), Kind::bytes));
    return true;
  case Opcode::binbytes:
    push(document_.add_text(cursor_.take(cursor_.number<std::uint32_t>()), Kind::bytes));
    return true;
  case Opcode::binbytes8:
  case Opcode::bytearray8:
    push(document_.add_text(cursor_.take(cursor_.number<std::uint64_t>()), Kind::bytes));
    return true;
  default: return false;
  }
}

bool Machine::run_text(Opcode opcode) {
  const std::uint64_t argument_offset = cursor_.offset();
  switch (opcode) {
  case Opcode::int_text: push(parse_int(document_, cursor_.line(), argument_offset)); return true;
  case Opcode::long_text: push(parse_long(document_, cursor_.line(), argument_offset)); return true;
  case Opcode::float_text: push(document_.add_real(parse_float(cursor_.line(), argument_offset))); return true;
  case Opcode::string: push(document_.add_owned_text(parse_quoted(cursor_.line(), argument_offset))); return true;
  case Opcode::unicode: push(document_.add_owned_text(parse_raw_unicode(cursor_.line(), argument_offset))); return true;
  // Python 2's str: text of an unknown encoding.
  case Opcode::short_binstring: push_text(cursor_.take(cursor_.number<std::uint8_t>())); return true;
  case Opcode::binstring: {
    const auto size = static_cast<std::int32_t>(cursor_.number<std::uint32_t>());
    if (size < 0) fail("the size of a string", fmt::format("{}", size));
    push_text(cursor_.take(static_cast<std::uint64_t>(size)));
    return true;
  }
  case Opcode::put: memo_.put(parse_memo_number(cursor_.line(), argument_offset), top()); return true;
  case Opcode::get: {
    const std::uint64_t index = parse_memo_number(cursor_.line(), argument_offset);
    const Value value = memo_.get(index);
    if (value.kind() == Kind::unset) fail("a memo slot that was filled before", fmt::format("slot {}", index));
    push(value);
    return true;
  }
  default: return false;
  }
}

} // namespace memviz::pickle
