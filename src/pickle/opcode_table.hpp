#pragma once

// What each opcode is called, what follows it, and what it does to the pickle stack: Python's pickletools.opcodes as a
// table.

#include "pickle/opcode.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace memviz::pickle {

/// The bytes behind an opcode: a fixed number of them, text lines, or a length and as many bytes.
enum class Argument : std::uint8_t { none, fixed, one_line, two_lines, length1, length4, length8 };

/// What an opcode does to the stack.
enum class Effect : std::uint8_t {
  nothing,
  push_leaf,      ///< a value that holds no other
  push_container, ///< an empty list, dict, set or tuple
  push_mark,
  wrap,         ///< the topmost `popped` values become one container
  wrap_to_mark, ///< all values above the mark do
  fill,         ///< the topmost `popped` values go into the container below them
  fill_to_mark, ///< all values above the mark do
  drop,         ///< the topmost value or mark is gone
  drop_to_mark, ///< all values above the mark are, and the mark
  duplicate,
  memoize,
  replace,        ///< the topmost `popped` values become one that nobody knows
  replace_to_mark ///< all values above the mark do
};

struct OpcodeInfo {
  std::string_view name; ///< "" for a byte that is no opcode
  Argument argument = Argument::none;
  std::uint8_t argument_bytes = 0; ///< of Argument::fixed
  Effect effect = Effect::nothing;
  std::uint8_t popped = 0;
  bool is_text = false;                  ///< pushes a string
  std::string_view refused_purpose = {}; ///< what it would do ("import a Python object"); "" for data
};

/// By opcode.
[[nodiscard]] const std::array<OpcodeInfo, 256>& opcode_table();

} // namespace memviz::pickle
