#include "pickle/opcode_table.hpp"

namespace memviz::pickle {

namespace {

using A = Argument;
using E = Effect;

struct Row {
  Opcode opcode = Opcode::none;
  OpcodeInfo info;
};

// Why the decoder refuses an opcode.
constexpr std::string_view kImport = "import a Python object";
constexpr std::string_view kCall = "call a Python function";
constexpr std::string_view kSetState = "set the state of a Python object";
constexpr std::string_view kConstruct = "construct a Python object";
constexpr std::string_view kPersistent = "load an object from outside the file";
constexpr std::string_view kExtension = "load an object from Python's extension registry";
constexpr std::string_view kBuffer = "use a buffer from outside the file";

// clang-format off
constexpr std::array kRows{
    Row{Opcode::proto,            {"PROTO", A::fixed, 1, E::nothing, 0, false}},
    Row{Opcode::frame,            {"FRAME", A::fixed, 8, E::nothing, 0, false}},
    Row{Opcode::stop,             {"STOP", A::none, 0, E::drop, 0, false}},

    Row{Opcode::memoize,          {"MEMOIZE", A::none, 0, E::memoize, 0, false}},
    Row{Opcode::put,              {"PUT", A::one_line, 0, E::memoize, 0, false}},
    Row{Opcode::binput,           {"BINPUT", A::fixed, 1, E::memoize, 0, false}},
    Row{Opcode::long_binput,      {"LONG_BINPUT", A::fixed, 4, E::memoize, 0, false}},
    Row{Opcode::get,              {"GET", A::one_line, 0, E::push_leaf, 0, false}},
    Row{Opcode::binget,           {"BINGET", A::fixed, 1, E::push_leaf, 0, false}},
    Row{Opcode::long_binget,      {"LONG_BINGET", A::fixed, 4, E::push_leaf, 0, false}},

    Row{Opcode::none,             {"NONE", A::none, 0, E::push_leaf, 0, false}},
    Row{Opcode::newtrue,          {"NEWTRUE", A::none, 0, E::push_leaf, 0, false}},
    Row{Opcode::newfalse,         {"NEWFALSE", A::none, 0, E::push_leaf, 0, false}},
    Row{Opcode::binint1,          {"BININT1", A::fixed, 1, E::push_leaf, 0, false}},
    Row{Opcode::binint2,          {"BININT2", A::fixed, 2, E::push_leaf, 0, false}},
    Row{Opcode::binint,           {"BININT", A::fixed, 4, E::push_leaf, 0, false}},
    Row{Opcode::long1,            {"LONG1", A::length1, 0, E::push_leaf, 0, false}},
    Row{Opcode::long4,            {"LONG4", A::length4, 0, E::push_leaf, 0, false}},
    Row{Opcode::binfloat,         {"BINFLOAT", A::fixed, 8, E::push_leaf, 0, false}},
    Row{Opcode::int_text,         {"INT", A::one_line, 0, E::push_leaf, 0, false}},
    Row{Opcode::long_text,        {"LONG", A::one_line, 0, E::push_leaf, 0, false}},
    Row{Opcode::float_text,       {"FLOAT", A::one_line, 0, E::push_leaf, 0, false}},

    Row{Opcode::short_binunicode, {"SHORT_BINUNICODE", A::length1, 0, E::push_leaf, 0, true}},
    Row{Opcode::binunicode,       {"BINUNICODE", A::length4, 0, E::push_leaf, 0, true}},
    Row{Opcode::binunicode8,      {"BINUNICODE8", A::length8, 0, E::push_leaf, 0, true}},
    Row{Opcode::short_binstring,  {"SHORT_BINSTRING", A::length1, 0, E::push_leaf, 0, true}},
    Row{Opcode::binstring,        {"BINSTRING", A::length4, 0, E::push_leaf, 0, true}},
    Row{Opcode::string,           {"STRING", A::one_line, 0, E::push_leaf, 0, true}},
    Row{Opcode::unicode,          {"UNICODE", A::one_line, 0, E::push_leaf, 0, true}},
    Row{Opcode::short_binbytes,   {"SHORT_BINBYTES", A::length1, 0, E::push_leaf, 0, true}},
    Row{Opcode::binbytes,         {"BINBYTES", A::length4, 0, E::push_leaf, 0, true}},
    Row{Opcode::binbytes8,        {"BINBYTES8", A::length8, 0, E::push_leaf, 0, true}},
    Row{Opcode::bytearray8,       {"BYTEARRAY8", A::length8, 0, E::push_leaf, 0, true}},

    Row{Opcode::mark,             {"MARK", A::none, 0, E::push_mark, 0, false}},
    Row{Opcode::empty_dict,       {"EMPTY_DICT", A::none, 0, E::push_container, 0, false}},
    Row{Opcode::empty_list,       {"EMPTY_LIST", A::none, 0, E::push_container, 0, false}},
    Row{Opcode::empty_set,        {"EMPTY_SET", A::none, 0, E::push_container, 0, false}},
    Row{Opcode::empty_tuple,      {"EMPTY_TUPLE", A::none, 0, E::push_container, 0, false}},
    Row{Opcode::tuple1,           {"TUPLE1", A::none, 0, E::wrap, 1, false}},
    Row{Opcode::tuple2,           {"TUPLE2", A::none, 0, E::wrap, 2, false}},
    Row{Opcode::tuple3,           {"TUPLE3", A::none, 0, E::wrap, 3, false}},
    Row{Opcode::tuple,            {"TUPLE", A::none, 0, E::wrap_to_mark, 0, false}},
    Row{Opcode::list,             {"LIST", A::none, 0, E::wrap_to_mark, 0, false}},
    Row{Opcode::dict,             {"DICT", A::none, 0, E::wrap_to_mark, 0, false}},
    Row{Opcode::frozenset,        {"FROZENSET", A::none, 0, E::wrap_to_mark, 0, false}},
    Row{Opcode::append,           {"APPEND", A::none, 0, E::fill, 1, false}},
    Row{Opcode::appends,          {"APPENDS", A::none, 0, E::fill_to_mark, 0, false}},
    Row{Opcode::additems,         {"ADDITEMS", A::none, 0, E::fill_to_mark, 0, false}},
    Row{Opcode::setitem,          {"SETITEM", A::none, 0, E::fill, 2, false}},
    Row{Opcode::setitems,         {"SETITEMS", A::none, 0, E::fill_to_mark, 0, false}},
    Row{Opcode::pop,              {"POP", A::none, 0, E::drop, 0, false}},
    Row{Opcode::pop_mark,         {"POP_MARK", A::none, 0, E::drop_to_mark, 0, false}},
    Row{Opcode::dup,              {"DUP", A::none, 0, E::duplicate, 0, false}},

    Row{Opcode::global,           {"GLOBAL", A::two_lines, 0, E::push_leaf, 0, false, kImport}},
    Row{Opcode::stack_global,     {"STACK_GLOBAL", A::none, 0, E::replace, 2, false, kImport}},
    Row{Opcode::reduce,           {"REDUCE", A::none, 0, E::replace, 2, false, kCall}},
    Row{Opcode::build,            {"BUILD", A::none, 0, E::replace, 2, false, kSetState}},
    Row{Opcode::inst,             {"INST", A::two_lines, 0, E::replace_to_mark, 0, false, kConstruct}},
    Row{Opcode::obj,              {"OBJ", A::none, 0, E::replace_to_mark, 0, false, kConstruct}},
    Row{Opcode::newobj,           {"NEWOBJ", A::none, 0, E::replace, 2, false, kConstruct}},
    Row{Opcode::newobj_ex,        {"NEWOBJ_EX", A::none, 0, E::replace, 3, false, kConstruct}},
    Row{Opcode::persid,           {"PERSID", A::one_line, 0, E::push_leaf, 0, false, kPersistent}},
    Row{Opcode::binpersid,        {"BINPERSID", A::none, 0, E::replace, 1, false, kPersistent}},
    Row{Opcode::ext1,             {"EXT1", A::fixed, 1, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::ext2,             {"EXT2", A::fixed, 2, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::ext4,             {"EXT4", A::fixed, 4, E::push_leaf, 0, false, kExtension}},
    Row{Opcode::next_buffer,      {"NEXT_BUFFER", A::none, 0, E::push_leaf, 0, false, kBuffer}},
    Row{Opcode::readonly_buffer,  {"READONLY_BUFFER", A::none, 0, E::nothing, 0, false, kBuffer}},
};
// clang-format on

constexpr std::array<OpcodeInfo, 256> by_opcode() {
  std::array<OpcodeInfo, 256> table{};
  for (const Row& row : kRows)
    table[static_cast<std::uint8_t>(row.opcode)] = row.info;
  return table;
}

constexpr std::array<OpcodeInfo, 256> kTable = by_opcode();

} // namespace

const std::array<OpcodeInfo, 256>& opcode_table() {
  return kTable;
}

std::string_view opcode_name(Opcode opcode) {
  return kTable[static_cast<std::uint8_t>(opcode)].name;
}

std::string_view refused_purpose(Opcode opcode) {
  return kTable[static_cast<std::uint8_t>(opcode)].refused_purpose;
}

} // namespace memviz::pickle
