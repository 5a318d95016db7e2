#pragma once

// The JSON documents that memviz writes: {"schema": "memviz.stats/1.4", "memviz": "0.2.0", ... Their schemas are
// docs/schemas/NAME.json. The first number rises when a name or a meaning changes, the second when something is added.

#include "base/json_object.hpp"
#include "base/json_writer.hpp"
#include "memviz/version.hpp"

#include <string>
#include <string_view>

namespace memviz {

inline JsonWriter& begin_document(JsonWriter& json, std::string_view schema) {
  return json.begin_object().member("schema", schema).member("memviz", version());
}

struct JsonDocumentFacts {
  std::string_view schema; ///< "memviz.stats/1.4"
  std::string_view title;
  std::string_view meaning;
};

/// A document described once; `object` has the members that follow the two of every document.
template <class Object> struct JsonDocument {
  JsonDocumentFacts facts;
  Object object;
};

template <class Subject, class... Members>
[[nodiscard]] constexpr JsonDocument<JsonObject<Subject, Members...>> json_described(const JsonDocumentFacts& facts,
                                                                                     Members... members) {
  return {facts, json_object<Subject>({}, members...)};
}

template <class Object>
void write_document(JsonWriter& json, const JsonDocument<Object>& document, const typename Object::Subject& subject) {
  begin_document(json, document.facts.schema);
  write_members(json, document.object, subject);
  json.end_object();
}

/// Returns the text of a document, which ends in a newline.
template <class Object>
[[nodiscard]] std::string document_text(const JsonDocument<Object>& document, const typename Object::Subject& subject) {
  return json_document([&](JsonWriter& json) { write_document(json, document, subject); });
}

} // namespace memviz
