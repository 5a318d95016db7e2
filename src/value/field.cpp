#include "value/field.hpp"

#include <fmt/format.h>
#include <vector>

namespace memviz {

std::string Field::path() const {
  std::vector<const Field*> steps;
  for (const Field* step = this; step != nullptr; step = step->holder)
    steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!(*step)->key.empty()) text += (text.empty() ? "" : ".") + std::string((*step)->key);
    if ((*step)->index) text += fmt::format("[{}]", *(*step)->index);
  }
  return text;
}

void Field::fail(std::string_view expected, std::string_view found, Value container) const {
  const std::string place = path();
  throw SchemaError(fmt::format("expected {}{}{}, found {}", expected, place.empty() ? "" : " for ", place, found),
                    container);
}

std::uint64_t Field::rare_size(const Document& document) const {
  if (const auto number = document.as_unsigned(value)) return *number;
  const auto negative = document.as_signed(value);
  fail("a size of 0 or more", negative ? std::to_string(*negative) : std::string(value_name(value.kind())));
}

std::uint64_t Field::rare_bits(const Document& document) const {
  if (const auto number = document.as_unsigned(value)) return *number;
  if (const auto number = document.as_signed(value)) return static_cast<std::uint64_t>(*number);
  fail("an int", value_name(value.kind()));
}

std::string_view Field::text(const Document& document) const {
  require(Kind::text);
  return document.text(value);
}

} // namespace memviz
