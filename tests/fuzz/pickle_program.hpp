#pragma once

// A pickle as a list of opcodes that can be changed: for the fuzzers, whose changes of single bytes rarely get past the
// first broken length. Parsing never fails: bytes that are not a pickle also become opcodes, byte for byte.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::fuzz {

/// One opcode with its argument, as in the file.
struct Operation {
  std::string bytes;
  /// The Operation::stores of the opcode that stored the entry which this one fetches from the memo; 0 if there is
  /// none.
  std::uint32_t fetches = 0;
  /// The number, from 1, of an opcode that stores into the memo.
  std::uint32_t stores = 0;

  [[nodiscard]] std::uint8_t code() const { return static_cast<std::uint8_t>(bytes.front()); }
  [[nodiscard]] bool is(char opcode) const { return bytes.front() == opcode; }
};

using Program = std::vector<Operation>;

/// The operations from `begin` up to `end` leave one value on the stack and need none.
struct Expression {
  std::size_t begin = 0;
  std::size_t end = 0;
};

[[nodiscard]] Program parsed(std::string_view bytes);

/// Returns the bytes again. With `is_repaired`, memo numbers follow the opcodes that stored, wherever these have moved,
/// and FRAME has the length that it spans.
[[nodiscard]] std::string serialized(const Program& program, bool is_repaired);

/// Returns every value that the program makes, in the order in which they are consumed; those within others come first.
[[nodiscard]] std::vector<Expression> expressions_of(const Program& program);

/// Returns an opcode with an integer argument, in one of the possible forms, which `form` chooses.
[[nodiscard]] std::string integer_operation(bool is_negative, std::uint64_t magnitude, std::uint32_t form);
/// SHORT_BINUNICODE or BINUNICODE.
[[nodiscard]] std::string text_operation(std::string_view text);
/// Returns the text of an opcode that pushes one.
[[nodiscard]] std::optional<std::string_view> text_of(const Operation& operation);
[[nodiscard]] bool pushes_integer(const Operation& operation);

/// Returns the bytes of an opcode's length argument: 0 if it has none.
[[nodiscard]] std::size_t length_bytes(std::uint8_t code);

} // namespace memviz::fuzz
