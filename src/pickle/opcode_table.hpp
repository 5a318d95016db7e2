#pragma once

// The name of each opcode, its argument, its effect on the pickle stack, and whether it is plain data: Python's
// pickletools.opcodes as a table. It is known at compile time, so code for one opcode reads its argument according to
// the table at no cost.

#include "pickle/opcode.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memviz::pickle {

/// The argument after an opcode: a number of this many bytes, text lines, or a length and as many bytes. Numbers and
/// lengths are little-endian, except BINFLOAT's.
enum class OpcodeArgument : std::uint8_t {
  none,
  bytes1,
  bytes2,
  bytes4,
  bytes8,
  one_line,
  two_lines,
  length1,
  length4,
  signed_length4,
  length8
};

/// The effect of an opcode on the stack.
enum class Effect : std::uint8_t {
  nothing,
  push_leaf,      ///< a value that contains no other
  push_container, ///< an empty list, dict, set or tuple
  push_mark,
  wrap,         ///< the topmost `popped` values become one container
  wrap_to_mark, ///< all values above the mark do
  fill,         ///< the topmost `popped` values go into the container below them
  fill_to_mark, ///< all values above the mark do
  drop,         ///< removes the topmost value or mark
  drop_to_mark, ///< removes all values above the mark, and the mark
  duplicate,
  memoize,
  replace,        ///< the topmost `popped` values become an unknown one
  replace_to_mark ///< all values above the mark become an unknown one
};

struct OpcodeInfo {
  std::string_view name; ///< "" for a byte that is not an opcode
  OpcodeArgument argument = OpcodeArgument::none;
  Effect effect = Effect::nothing;
  std::uint8_t popped = 0;
  bool is_text = false;                  ///< pushes a string
  std::string_view refused_purpose = {}; ///< what it would do ("import a Python object"); "" for data
};

namespace table {

using A = OpcodeArgument;
using E = Effect;

struct Row {
  Opcode opcode = Opcode::none;
  OpcodeInfo info;
};

// Why the decoder refuses an opcode.
inline constexpr std::string_view kImport = "import a Python object";
inline constexpr std::string_view kCall = "call a Python function";
inline constexpr std::string_view kSetState = "set the state of a Python object";
inline constexpr std::string_view kConstruct = "construct a Python object";
inline constexpr std::string_view kPersistent = "load an object from outside the file";
inline constexpr std::string_view kExtension = "load an object from Python's extension registry";
inline constexpr std::string_view kBuffer = "use a buffer from outside the file";

// clang-format off
inline constexpr std::array kRows{
    Row{Opcode::proto,            {"PROTO", A::bytes1, E::nothing}},
    Row{Opcode::frame,            {"FRAME", A::bytes8, E::nothing}},
    Row{Opcode::stop,             {"STOP", A::none, E::drop}},

    Row{Opcode::memoize,          {"MEMOIZE", A::none, E::memoize}},
    Row{Opcode::put,              {"PUT", A::one_line, E::memoize}},
    Row{Opcode::binput,           {"BINPUT", A::bytes1, E::memoize}},
    Row{Opcode::long_binput,      {"LONG_BINPUT", A::bytes4, E::memoize}},
    Row{Opcode::get,              {"GET", A::one_line, E::push_leaf}},
    Row{Opcode::binget,           {"BINGET", A::bytes1, E::push_leaf}},
    Row{Opcode::long_binget,      {"LONG_BINGET", A::bytes4, E::push_leaf}},

    Row{Opcode::none,             {"NONE", A::none, E::push_leaf}},
    Row{Opcode::newtrue,          {"NEWTRUE", A::none, E::push_leaf}},
    Row{Opcode::newfalse,         {"NEWFALSE", A::none, E::push_leaf}},
    Row{Opcode::binint1,          {"BININT1", A::bytes1, E::push_leaf}},
    Row{Opcode::binint2,          {"BININT2", A::bytes2, E::push_leaf}},
    Row{Opcode::binint,           {"BININT", A::bytes4, E::push_leaf}},
    Row{Opcode::long1,            {"LONG1", A::length1, E::push_leaf}},
    Row{Opcode::long4,            {"LONG4", A::signed_length4, E::push_leaf}},
    Row{Opcode::binfloat,         {"BINFLOAT", A::bytes8, E::push_leaf}},
    Row{Opcode::int_text,         {"INT", A::one_line, E::push_leaf}},
    Row{Opcode::long_text,        {"LONG", A::one_line, E::push_leaf}},
    Row{Opcode::float_text,       {"FLOAT", A::one_line, E::push_leaf}},

    Row{Opcode::short_binunicode, {"SHORT_BINUNICODE", A::length1, E::push_leaf, 0, true}},
    Row{Opcode::binunicode,       {"BINUNICODE", A::length4, E::push_leaf, 0, true}},
    Row{Opcode::binunicode8,      {"BINUNICODE8", A::length8, E::push_leaf, 0, true}},
    Row{Opcode::short_binstring,  {"SHORT_BINSTRING", A::length1, E::push_leaf, 0, true}},
    Row{Opcode::binstring,        {"BINSTRING", A::signed_length4, E::push_leaf, 0, true}},
    Row{Opcode::string,           {"STRING", A::one_line, E::push_leaf, 0, true}},
    Row{Opcode::unicode,          {"UNICODE", A::one_line, E::push_leaf, 0, true}},
    Row{Opcode::short_binbytes,   {"SHORT_BINBYTES", A::length1, E::push_leaf, 0, true}},
    Row{Opcode::binbytes,         {"BINBYTES", A::length4, E::push_leaf, 0, true}},
    Row{Opcode::binbytes8,        {"BINBYTES8", A::length8, E::push_leaf, 0, true}},
    Row{Opcode::bytearray8,       {"BYTEARRAY8", A::length8, E::push_leaf, 0, true}},

    Row{Opcode::mark,             {"MARK", A::none, E::push_mark}},
    Row{Opcode::empty_dict,       {"EMPTY_DICT", A::none, E::push_container}},
    Row{Opcode::empty_list,       {"EMPTY_LIST", A::none, E::push_container}},
    Row{Opcode::empty_set,        {"EMPTY_SET", A::none, E::push_container}},
    Row{Opcode::empty_tuple,      {"EMPTY_TUPLE", A::none, E::push_container}},
    Row{Opcode::tuple1,           {"TUPLE1", A::none, E::wrap, 1}},
    Row{Opcode::tuple2,           {"TUPLE2", A::none, E::wrap, 2}},
    Row{Opcode::tuple3,           {"TUPLE3", A::none, E::wrap, 3}},
    Row{Opcode::tuple,            {"TUPLE", A::none, E::wrap_to_mark}},
    Row{Opcode::list,             {"LIST", A::none, E::wrap_to_mark}},
    Row{Opcode::dict,             {"DICT", A::none, E::wrap_to_mark}},
    Row{Opcode::frozenset,        {"FROZENSET", A::none, E::wrap_to_mark}},
    Row{Opcode::append,           {"APPEND", A::none, E::fill, 1}},
    Row{Opcode::appends,          {"APPENDS", A::none, E::fill_to_mark}},
    Row{Opcode::additems,         {"ADDITEMS", A::none, E::fill_to_mark}},
    Row{Opcode::setitem,          {"SETITEM", A::none, E::fill, 2}},
    Row{Opcode::setitems,         {"SETITEMS", A::none, E::fill_to_mark}},
    Row{Opcode::pop,              {"POP", A::none, E::drop}},
    Row{Opcode::pop_mark,         {"POP_MARK", A::none, E::drop_to_mark}},
    Row{Opcode::dup,              {"DUP", A::none, E::duplicate}},

    Row{Opcode::global,           {"GLOBAL", A::two_lines, E::push_leaf, 0, false, kImport}},
    Row{Opcode::stack_global,     {"STACK_GLOBAL", A::none, E::replace, 2, false, kImport}},
    Row{Opcode::reduce,           {"REDUCE", A::none, E::replace, 2, false, kCall}},
    Row{Opcode::build,            {"BUILD", A::none, E::replace, 2, false, kSetState}},
    Row{Opcode::inst,             {"INST", A::two_lines, E::replace_to_mark, 0, false, kConstruct}},
    Row{Opcode::obj,              {"OBJ", A::none, E::replace_to_mark, 0, false, kConstruct}},
    Row{Opcode::newobj,           {"NEWOBJ", A::none, E::replace, 2, false, kConstruct}},
    Row{Opcode::newobj_ex,        {"NEWOBJ_EX", A::none, E::replace, 3, false, kConstruct}},
    Row{Opcode::persid,           {"PERSID", A::one_line, E::push_leaf, 0, false, kPersistent}},
    Row{Opcode::binpersid,        {"BINPERSID", A::none, E::replace, 1, false, kPersistent}},
    Row{Opcode::ext1,             {"EXT1", A::bytes1, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::ext2,             {"EXT2", A::bytes2, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::ext4,             {"EXT4", A::bytes4, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::next_buffer,      {"NEXT_BUFFER", A::none, E::push_leaf, 0, false, kBuffer}},
    Row{Opcode::readonly_buffer,  {"READONLY_BUFFER", A::none, E::nothing, 0, false, kBuffer}},
};
// clang-format on

constexpr std::array<OpcodeInfo, 256> by_opcode() {
  std::array<OpcodeInfo, 256> table{};
  for (const Row& row : kRows)
    table[static_cast<std::uint8_t>(row.opcode)] = row.info;
  return table;
}

} // namespace table

inline constexpr std::array<OpcodeInfo, 256> kOpcodeTable = table::by_opcode();

[[nodiscard]] constexpr const OpcodeInfo& opcode_info(Opcode opcode) {
  return kOpcodeTable[static_cast<std::uint8_t>(opcode)];
}

/// Returns the bytes of the number or the length after an opcode; 0 if it has neither.
[[nodiscard]] constexpr std::size_t number_bytes(OpcodeArgument argument) {
  switch (argument) {
  case OpcodeArgument::none:
  case OpcodeArgument::one_line:
  case OpcodeArgument::two_lines: return 0;
  case OpcodeArgument::bytes1:
  case OpcodeArgument::length1: return 1;
  case OpcodeArgument::bytes2: return 2;
  case OpcodeArgument::bytes4:
  case OpcodeArgument::length4:
  case OpcodeArgument::signed_length4: return 4;
  case OpcodeArgument::bytes8:
  case OpcodeArgument::length8: return 8;
  }
  return 0;
}

/// Whether the bytes are the argument itself, not its length.
[[nodiscard]] constexpr bool is_number(OpcodeArgument argument) {
  return argument >= OpcodeArgument::bytes1 && argument <= OpcodeArgument::bytes8;
}

[[nodiscard]] constexpr std::size_t popped(Opcode opcode) {
  return opcode_info(opcode).popped;
}

} // namespace memviz::pickle
