#include "value/value.hpp"

namespace memviz {

std::string_view value_name(Kind kind) {
  switch (kind) {
  case Kind::unset: return "nothing";
  case Kind::none: return "None";
  case Kind::boolean: return "a bool";
  case Kind::integer:
  case Kind::wide_integer: return "an int";
  case Kind::real: return "a float";
  case Kind::text: return "a str";
  case Kind::bytes: return "bytes";
  case Kind::list: return "a list";
  case Kind::tuple: return "a tuple";
  case Kind::dict:
  case Kind::record: return "a dict";
  case Kind::record_list:
  case Kind::digest: return "a list";
  case Kind::memo_reference: break;
  }
  return "an unknown object";
}

} // namespace memviz
