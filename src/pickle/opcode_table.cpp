#include "pickle/opcode_table.hpp"

namespace memviz::pickle {

std::string_view opcode_name(Opcode opcode) {
  return opcode_info(opcode).name;
}

std::string_view refused_purpose(Opcode opcode) {
  return opcode_info(opcode).refused_purpose;
}

} // namespace memviz::pickle
