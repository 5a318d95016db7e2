#include "pickle/opcode.hpp"

#include <algorithm>
#include <array>

namespace memviz::pickle {
namespace {

struct Refused {
  Opcode opcode;
  std::string_view name;
  std::string_view purpose;
};

constexpr std::string_view kImport = "import a Python object";
constexpr std::string_view kCall = "call a Python function";
constexpr std::string_view kConstruct = "construct a Python object";
constexpr std::string_view kPersistent = "load an object from outside the file";
constexpr std::string_view kExtension = "load an object from Python's extension registry";
constexpr std::string_view kBuffer = "use a buffer from outside the file";

constexpr std::array<Refused, 15> kRefused{{
    {Opcode::global, "GLOBAL", kImport},
    {Opcode::stack_global, "STACK_GLOBAL", kImport},
    {Opcode::reduce, "REDUCE", kCall},
    {Opcode::build, "BUILD", "set the state of a Python object"},
    {Opcode::inst, "INST", kConstruct},
    {Opcode::obj, "OBJ", kConstruct},
    {Opcode::newobj, "NEWOBJ", kConstruct},
    {Opcode::newobj_ex, "NEWOBJ_EX", kConstruct},
    {Opcode::persid, "PERSID", kPersistent},
    {Opcode::binpersid, "BINPERSID", kPersistent},
    {Opcode::ext1, "EXT1", kExtension},
    {Opcode::ext2, "EXT2", kExtension},
    {Opcode::ext4, "EXT4", kExtension},
    {Opcode::next_buffer, "NEXT_BUFFER", kBuffer},
    {Opcode::readonly_buffer, "READONLY_BUFFER", kBuffer},
}};

const Refused* find(Opcode opcode) {
  const auto* found =
      std::find_if(kRefused.begin(), kRefused.end(), [&](const Refused& r) { return r.opcode == opcode; });
  return found == kRefused.end() ? nullptr : found;
}

} // namespace

std::string_view refused_purpose(Opcode opcode) {
  const Refused* refused = find(opcode);
  return refused == nullptr ? std::string_view{} : refused->purpose;
}

std::string_view refused_name(Opcode opcode) {
  const Refused* refused = find(opcode);
  return refused == nullptr ? std::string_view{} : refused->name;
}

} // namespace memviz::pickle
