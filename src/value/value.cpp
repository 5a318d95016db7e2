#include "value/value.hpp"

namespace memviz {

std::string_view kind_name(Kind kind) {
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
  case Kind::dict: return "a dict";
  }
  return "an unknown object";
}

} // namespace memviz
