#include "base/json_object_schema.hpp"

#include <algorithm>
#include <stdexcept>

namespace memviz {

void SchemaWriter::refer(std::string_view name, const void* content, void (*write)(SchemaWriter&, const void*)) {
  json_.member("$ref", "#/$defs/" + std::string(name));
  const auto same = std::ranges::find(definitions_, name, &Definition::name);
  if (same == definitions_.end())
    definitions_.push_back({name, content, write});
  else if (same->content != content)
    throw std::logic_error("JSON Schema: two definitions of " + std::string(name));
}

void SchemaWriter::write_definitions() {
  if (definitions_.empty()) return;
  json_.key("$defs").begin_object();
  std::size_t written = 0;
  while (written < definitions_.size()) { // writing one may add others
    const Definition definition = definitions_[written++];
    json_.key(definition.name).begin_object();
    definition.write(*this, definition.content);
    json_.end_object();
  }
  json_.end_object();
}

void write_type(JsonWriter& json, std::string_view type, bool may_be_null) {
  json.key("type");
  if (may_be_null)
    json.begin_array().value(type).value("null").end_array();
  else
    json.value(type);
}

void write_words(JsonWriter& json, const std::vector<std::string_view>& words, bool may_be_null) {
  if (words.size() == 1 && !may_be_null) {
    json.member("const", words.front());
    return;
  }
  json.key("enum").begin_array();
  for (const std::string_view word : words)
    json.value(word);
  if (may_be_null) json.value(nullptr);
  json.end_array();
}

void write_schema_head(JsonWriter& json, const JsonDocumentFacts& facts) {
  std::string name(facts.schema.substr(facts.schema.find('.') + 1));
  std::ranges::replace(name, '/', ':');
  json.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("$id", "urn:memviz:schema:" + name);
  json.member("title", facts.title).member("description", facts.meaning).member("type", "object");
}

} // namespace memviz
