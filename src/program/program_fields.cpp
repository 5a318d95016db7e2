#include "program/program_fields.hpp"

namespace memviz::program {

Field need(const Document& document, const Field& dict, std::string_view key, Kind kind) {
  const Field found = dict.member(key, document.get(dict.value, key));
  found.require(kind);
  return found;
}

std::optional<std::int64_t> number_at(const Document& document, const Field& dict, std::string_view key) {
  return document.as_signed(document.get(dict.value, key));
}

std::pair<std::string_view, Field> choice_of(const Document& document, const Field& given) {
  given.require(Kind::dict);
  std::pair<std::string_view, Field> found{"", given};
  document.for_each_item(given.value, [&](Value key, Value value) {
    if (!found.first.empty() || key.kind() != Kind::text || !is_present(value)) return;
    const std::string_view name = document.text(key);
    found = {name, given.member(name, value)};
  });
  return found;
}

} // namespace memviz::program
