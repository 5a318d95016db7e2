#pragma once

// The opcodes of pickle protocols 0 to 5, by the names that Python's pickletools uses.

#include <cstdint>
#include <string_view>

namespace memviz::pickle {

enum class Opcode : std::uint8_t {
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  dup = '2',
  float_text = 'F',
  int_text = 'I',
  binint = 'J',
  binint1 = 'K',
  long_text = 'L',
  binint2 = 'M',
  none = 'N',
  persid = 'P',
  binpersid = 'Q',
  reduce = 'R',
  string = 'S',
  binstring = 'T',
  short_binstring = 'U',
  unicode = 'V',
  binunicode = 'X',
  append = 'a',
  build = 'b',
  global = 'c',
  dict = 'd',
  empty_dict = '}',
  appends = 'e',
  get = 'g',
  binget = 'h',
  inst = 'i',
  long_binget = 'j',
  list = 'l',
  empty_list = ']',
  obj = 'o',
  put = 'p',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  empty_tuple = ')',
  setitems = 'u',
  binfloat = 'G',
  proto = 0x80,
  newobj = 0x81,
  ext1 = 0x82,
  ext2 = 0x83,
  ext4 = 0x84,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8A,
  long4 = 0x8B,
  binbytes = 'B',
  short_binbytes = 'C',
  short_binunicode = 0x8C,
  binunicode8 = 0x8D,
  binbytes8 = 0x8E,
  empty_set = 0x8F,
  additems = 0x90,
  frozenset = 0x91,
  newobj_ex = 0x92,
  stack_global = 0x93,
  memoize = 0x94,
  frame = 0x95,
  bytearray8 = 0x96,
  next_buffer = 0x97,
  readonly_buffer = 0x98,
};

/// "BINPUT", ...: "" for a byte that is not an opcode.
[[nodiscard]] std::string_view opcode_name(Opcode opcode);

/// Returns what an opcode that memviz refuses would do ("import a Python object", ...); empty for data opcodes and for
/// bytes that are not an opcode. Genuine snapshots, from Python and from the C++ writer, have no such opcode.
[[nodiscard]] std::string_view refused_purpose(Opcode opcode);

} // namespace memviz::pickle
