#include "program/element_type.hpp"

namespace memviz::program {

ElementType element_type(std::int64_t number) {
  switch (number) {
  case 1:  // byte
  case 2:  // char
  case 12: // bool
    return {1, false};
  case 3:  // short
  case 28: // uint16
    return {2, false};
  case 4:  // int
  case 34: // uint32
    return {4, false};
  case 5:  // long
  case 35: // uint64
    return {8, false};
  case 6:  // half
  case 13: // bfloat16
    return {2, true};
  case 7: // float
  case 9: // complex half
    return {4, true};
  case 8:  // double
  case 10: // complex float
    return {8, true};
  case 11: // complex double
    return {16, true};
  case 29: // the types of 8 bits
  case 30:
  case 31:
  case 32:
  case 33: return {1, true};
  default: return {};
  }
}

} // namespace memviz::program
