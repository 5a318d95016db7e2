#pragma once

// Values of a document that is made of a file of another kind: dicts and lists, as a snapshot has them; and the first
// value of a list of such a file.

#include "value/document.hpp"

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// Makes a dict. Keys are literals: the document refers to them.
inline Value made_dict(Document& document, std::initializer_list<std::pair<std::string_view, Value>> items) {
  std::vector<Value> values;
  for (const auto& [name, value] : items) {
    values.push_back(document.add_text(name));
    values.push_back(value);
  }
  const Value made = document.add_dict();
  document.set_items(made, values);
  return made;
}

inline Value made_list(Document& document, std::span<const Value> values) {
  const Value made = document.add_list();
  document.append(made, values);
  return made;
}

/// Returns the first item of a list; Kind::unset if it is empty.
inline Value first_item(const Document& document, Value list) {
  Value first;
  document.for_each(list, [&](Value item) {
    first = item;
    return false;
  });
  return first;
}

} // namespace memviz
