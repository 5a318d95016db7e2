#include "pickle_program.hpp"

#include "pickle/opcode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace memviz::fuzz {

using pickle::Opcode;

namespace {

std::size_t fixed_bytes(Opcode opcode) {
  switch (opcode) {
  case Opcode::binint1:
  case Opcode::binget:
  case Opcode::binput:
  case Opcode::proto:
  case Opcode::ext1: return 1;
  case Opcode::binint2:
  case Opcode::ext2: return 2;
  case Opcode::binint:
  case Opcode::long_binget:
  case Opcode::long_binput:
  case Opcode::ext4: return 4;
  case Opcode::binfloat:
  case Opcode::frame: return 8;
  default: return 0;
  }
}

std::size_t line_count(Opcode opcode) {
  switch (opcode) {
  case Opcode::int_text:
  case Opcode::float_text:
  case Opcode::long_text:
  case Opcode::string:
  case Opcode::unicode:
  case Opcode::persid:
  case Opcode::get:
  case Opcode::put: return 1;
  case Opcode::global:
  case Opcode::inst: return 2;
  default: return 0;
  }
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 8; ++i)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  return number;
}

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes.push_back(i < 8 ? static_cast<char>(number >> 8 * i & 0xFF) : '\0');
  return bytes;
}

/// Returns the size of the operation at the beginning of `bytes`, all of them if it is truncated.
std::size_t operation_size(std::string_view bytes) {
  const auto opcode = static_cast<Opcode>(bytes.front());
  std::size_t size = 1 + fixed_bytes(opcode);
  for (std::size_t line = 0; line < line_count(opcode); ++line) {
    const std::size_t end = bytes.find('\n', size);
    size = end == std::string_view::npos ? bytes.size() : end + 1;
  }
  if (const std::size_t length = length_bytes(static_cast<std::uint8_t>(opcode)); length > 0) {
    const std::uint64_t content = little_endian(bytes.substr(1, length));
    size = 1 + length + static_cast<std::size_t>(std::min<std::uint64_t>(content, bytes.size()));
  }
  return std::min(size, bytes.size());
}

/// Returns the memo number in the argument of PUT, GET and the like.
std::optional<std::uint64_t> memo_number(const Operation& operation) {
  const std::string_view argument = std::string_view(operation.bytes).substr(1);
  switch (static_cast<Opcode>(operation.code())) {
  case Opcode::get:
  case Opcode::put: {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }
  case Opcode::binget:
  case Opcode::binput:
  case Opcode::long_binget:
  case Opcode::long_binput: return little_endian(argument);
  default: return std::nullopt;
  }
}

bool is_store(const Operation& operation) {
  const auto opcode = static_cast<Opcode>(operation.code());
  return opcode == Opcode::put || opcode == Opcode::binput || opcode == Opcode::long_binput ||
         opcode == Opcode::memoize;
}

bool is_fetch(const Operation& operation) {
  const auto opcode = static_cast<Opcode>(operation.code());
  return opcode == Opcode::get || opcode == Opcode::binget || opcode == Opcode::long_binget;
}

std::string fetch_operation(std::uint64_t number) {
  return number < 256 ? "h" + little_endian(number, 1) : "j" + little_endian(number, 4);
}

void connect_memo(Program& program) {
  std::map<std::uint64_t, std::uint32_t> stored;
  std::uint32_t latest = 0;
  for (Operation& operation : program) {
    if (is_store(operation)) {
      operation.stores = ++latest;
      stored[memo_number(operation).value_or(stored.size())] = latest;
    } else if (is_fetch(operation)) {
      const auto found = stored.find(memo_number(operation).value_or(~std::uint64_t{0}));
      if (found != stored.end()) operation.fetches = found->second;
    }
  }
}

void repair_frames(std::string& bytes, const std::vector<std::size_t>& frames) {
  constexpr std::size_t kFrameBytes = 9;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] + kFrameBytes > bytes.size()) return;
    const std::size_t end = i + 1 < frames.size() ? frames[i + 1] : bytes.size();
    bytes.replace(frames[i] + 1, 8, little_endian(end - frames[i] - kFrameBytes, 8));
  }
}

} // namespace

std::size_t length_bytes(std::uint8_t code) {
  switch (static_cast<Opcode>(code)) {
  case Opcode::short_binstring:
  case Opcode::short_binbytes:
  case Opcode::short_binunicode:
  case Opcode::long1: return 1;
  case Opcode::binstring:
  case Opcode::binunicode:
  case Opcode::binbytes:
  case Opcode::long4: return 4;
  case Opcode::binunicode8:
  case Opcode::binbytes8:
  case Opcode::bytearray8: return 8;
  default: return 0;
  }
}

Program parsed(std::string_view bytes) {
  Program program;
  while (!bytes.empty()) {
    const std::size_t size = operation_size(bytes);
    program.push_back({std::string(bytes.substr(0, size)), 0, 0});
    bytes.remove_prefix(size);
  }
  connect_memo(program);
  return program;
}

std::string serialized(const Program& program, bool is_repaired) {
  std::string bytes;
  std::vector<std::size_t> frames;
  std::map<std::uint32_t, std::uint64_t> numbers;
  std::map<std::uint64_t, bool> taken;
  for (const Operation& operation : program) {
    if (operation.is('\x95')) frames.push_back(bytes.size());
    if (operation.stores != 0 && is_store(operation)) {
      const std::uint64_t number = memo_number(operation).value_or(taken.size());
      numbers[operation.stores] = number;
      taken[number] = true;
    }
    const auto stored = numbers.find(operation.fetches);
    const bool is_renumbered = is_repaired && stored != numbers.end();
    bytes += is_renumbered ? fetch_operation(stored->second) : operation.bytes;
  }
  if (is_repaired) repair_frames(bytes, frames);
  return bytes;
}

std::string integer_operation(bool is_negative, std::uint64_t magnitude, std::uint32_t form) {
  const std::uint64_t bits = is_negative ? ~magnitude + 1 : magnitude;
  std::vector<std::string> forms;
  // Two's complement of nine bytes holds every one of them.
  forms.push_back(std::string("\x8A\x09") + little_endian(bits, 8) + (is_negative && magnitude != 0 ? '\xFF' : '\0'));
  forms.push_back(std::string("\x8A\x08") + little_endian(bits, 8));
  forms.push_back((is_negative ? "I-" : "I") + std::to_string(magnitude) + "\n");
  if (!is_negative && magnitude < 1U << 8U) forms.push_back("K" + little_endian(bits, 1));
  if (!is_negative && magnitude < 1U << 16U) forms.push_back("M" + little_endian(bits, 2));
  if (magnitude < 1U << 31U) forms.push_back("J" + little_endian(bits, 4));
  return forms[form % forms.size()];
}

std::string text_operation(std::string_view text) {
  const bool is_short = text.size() < 256;
  return (is_short ? "\x8C" : "X") + little_endian(text.size(), is_short ? 1 : 4) + std::string(text);
}

std::optional<std::string_view> text_of(const Operation& operation) {
  static constexpr std::array kTexts{Opcode::short_binunicode, Opcode::binunicode, Opcode::binunicode8,
                                     Opcode::short_binstring, Opcode::binstring};
  const auto opcode = static_cast<Opcode>(operation.code());
  if (std::find(kTexts.begin(), kTexts.end(), opcode) == kTexts.end()) return std::nullopt;
  const std::size_t begin = 1 + length_bytes(operation.code());
  if (begin > operation.bytes.size()) return std::nullopt;
  return std::string_view(operation.bytes).substr(begin);
}

bool pushes_integer(const Operation& operation) {
  static constexpr std::array kIntegers{Opcode::binint1, Opcode::binint2,   Opcode::binint, Opcode::int_text,
                                        Opcode::long1,   Opcode::long_text, Opcode::long4};
  const auto opcode = static_cast<Opcode>(operation.code());
  return std::find(kIntegers.begin(), kIntegers.end(), opcode) != kIntegers.end();
}

} // namespace memviz::fuzz
