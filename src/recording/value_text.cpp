#include "recording/value_text.hpp"

#include "value/field.hpp"

#include <fmt/format.h>

namespace memviz {

std::string value_text(const Document& document, Value value) {
  switch (value.kind()) {
  case Kind::unset:
  case Kind::none: return "None";
  case Kind::boolean: return value.payload() != 0 ? "True" : "False";
  case Kind::integer:
  case Kind::wide_integer:
    if (const auto number = document.as_unsigned(value)) return fmt::format("{}", *number);
    return fmt::format("{}", document.as_signed(value).value_or(0));
  case Kind::real: return fmt::format("{}", document.real(value));
  case Kind::text:
  case Kind::bytes: return std::string(document.text(value));
  case Kind::list: return fmt::format("a list of {}", document.list_size(value));
  case Kind::tuple: return fmt::format("a tuple of {}", document.list_size(value));
  case Kind::dict: return "a dict";
  // The value is no longer known.
  case Kind::record:
  case Kind::record_list:
  case Kind::digest:
  case Kind::memo_reference: Field{value}.fail("plain data", value_name(value.kind()));
  }
  return "";
}

} // namespace memviz
