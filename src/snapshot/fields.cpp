#include "snapshot/fields.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz {

std::uint64_t FieldChecker::rare_size(Value value, const Where& where, Value container) const {
  if (const auto number = document_->as_unsigned(value)) return *number;
  const auto negative = document_->as_signed(value);
  fail_at(where, container, "a size of 0 or more",
          negative ? std::to_string(*negative) : std::string(kind_name(value.kind())));
}

std::uint64_t FieldChecker::rare_bits(Value value, const Where& where, Value container) const {
  if (const auto number = document_->as_unsigned(value)) return *number;
  if (const auto number = document_->as_signed(value)) return static_cast<std::uint64_t>(*number);
  fail_at(where, container, "an int", kind_name(value.kind()));
}

std::string_view FieldChecker::text(Value value, const Where& where, Value container) const {
  require(value, Kind::text, where, container);
  return document_->text(value);
}

} // namespace memviz
