#include "memviz/error.hpp"
#include "pickle/machine.hpp"
#include "value/document.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::pickle {
namespace {

[[noreturn]] void fail(std::uint64_t offset, std::string_view expected, std::string_view found) {
  throw ParseError(offset, fmt::format("expected {}, found '{}'", expected, found.substr(0, 40)));
}

template <class Number, class... Base> std::optional<Number> parse_all(std::string_view text, Base... base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Encodes as UTF-8, surrogates included: Python's `surrogatepass`, which later becomes U+FFFD like any other invalid
/// text.
void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3FU));
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

std::optional<char> simple_escape(char letter) {
  switch (letter) {
  case 'a': return '\a';
  case 'b': return '\b';
  case 'f': return '\f';
  case 'n': return '\n';
  case 'r': return '\r';
  case 't': return '\t';
  case 'v': return '\v';
  case '\\':
  case '\'':
  case '"': return letter;
  default: return std::nullopt;
  }
}

std::size_t octal_length(std::string_view text) {
  std::size_t length = 0;
  while (length < 3 && length < text.size() && text[length] >= '0' && text[length] <= '7')
    ++length;
  return length;
}

/// Parses LONG: "42L" or "42". Throws ParseError, also for a number that needs more than 64 bits.
Value parse_long(Document& document, std::string_view line, std::uint64_t offset) {
  std::string_view digits = line.ends_with('L') ? line.substr(0, line.size() - 1) : line;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (const auto number = parse_all<std::int64_t>(digits)) return document.add_integer(*number);
  if (const auto number = parse_all<std::uint64_t>(digits)) return document.add_unsigned(*number);
  const std::string_view magnitude = digits.substr(digits.starts_with('-') ? 1 : 0);
  const bool is_integer = !magnitude.empty() && magnitude.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_integer) fail(offset, "an integer", line);
  constexpr double kTooLarge = std::numeric_limits<double>::infinity();
  return document.add_rounded_integer(parse_all<double>(digits).value_or(digits == magnitude ? kTooLarge : -kTooLarge));
}

/// Parses INT: "42", or "00" and "01" for the bools. Throws ParseError.
Value parse_int(Document& document, std::string_view line, std::uint64_t offset) {
  if (line == "00" || line == "01") return Value::boolean(line == "01");
  return parse_long(document, line, offset);
}

/// Parses FLOAT: as Python's repr writes it, "nan", "inf" and "-inf" included. Throws ParseError.
double parse_float(std::string_view line, std::uint64_t offset) {
  if (const auto number = parse_all<double>(line)) return *number;
  fail(offset, "a number", line);
}

/// Parses GET and PUT: a memo number. Throws ParseError.
std::uint64_t parse_memo_number(std::string_view line, std::uint64_t offset) {
  if (const auto number = parse_all<std::uint64_t>(line)) return *number;
  fail(offset, "the number of a memo slot", line);
}

/// Parses STRING: a quoted Python 2 literal with its escapes. Throws ParseError.
std::string parse_quoted(std::string_view line, std::uint64_t offset) {
  if (line.size() < 2 || (line.front() != '\'' && line.front() != '"') || line.back() != line.front()) {
    fail(offset, "a quoted string", line);
  }
  const std::string_view body = line.substr(1, line.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      text += body[i];
      continue;
    }
    if (++i == body.size()) fail(offset, "a quoted string", line);
    if (const auto escaped = simple_escape(body[i])) {
      text += *escaped;
    } else if (const std::size_t digits = octal_length(body.substr(i)); digits > 0) {
      const unsigned code = parse_all<unsigned>(body.substr(i, digits), 8).value_or(0);
      text += static_cast<char>(static_cast<unsigned char>(code & 0xFFU));
      i += digits - 1;
    } else if (body[i] == 'x') {
      const auto byte = body.size() - i > 2 ? parse_all<std::uint8_t>(body.substr(i + 1, 2), 16) : std::nullopt;
      if (!byte) fail(offset, "two hexadecimal digits after \\x", line);
      text += static_cast<char>(*byte);
      i += 2;
    } else {
      // Python keeps the backslash of an unknown escape.
      text += '\\';
      text += body[i];
    }
  }
  return text;
}

/// Parses UNICODE: raw-unicode-escape, that is Latin-1 with \uXXXX and \UXXXXXXXX. Throws ParseError for a malformed
/// escape.
std::string parse_raw_unicode(std::string_view line, std::uint64_t offset) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_escape = line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'u' || line[i + 1] == 'U');
    if (!is_escape) {
      append_utf8(text, static_cast<unsigned char>(line[i]));
      continue;
    }
    const std::size_t digits = line[i + 1] == 'u' ? 4 : 8;
    const auto code =
        line.size() - i >= digits + 2 ? parse_all<std::uint32_t>(line.substr(i + 2, digits), 16) : std::nullopt;
    if (!code || *code > 0x10FFFF) fail(offset, "a \\uXXXX escape", line);
    append_utf8(text, *code);
    i += digits + 1;
  }
  return text;
}

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
