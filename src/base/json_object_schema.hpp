#pragma once

// The description of a JSON document (json_object.hpp) -> its JSON Schema, draft 2020-12, as docs/schemas/ has it. It
// is strict: no other members, and each that is always there is required.

#include "base/json_object.hpp"
#include "base/json_schema.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memviz {

/// Writes a schema, and after it the definitions that it refers to.
class SchemaWriter {
public:
  explicit SchemaWriter(JsonWriter& json) : json_(json) {}

  [[nodiscard]] JsonWriter& json() { return json_; }
  /// Writes "$ref"; write_definitions() writes the definition, by `write(writer, content)`, once for all of its name.
  /// Throws std::logic_error if another content has this name.
  void refer(std::string_view name, const void* content, void (*write)(SchemaWriter&, const void*));
  /// Writes "$defs" with each definition that was referred to.
  void write_definitions();

private:
  struct Definition {
    std::string_view name;
    const void* content;
    void (*write)(SchemaWriter&, const void*);
  };

  JsonWriter& json_;
  std::vector<Definition> definitions_;
};

/// The rules of a value that its form does not have.
struct ValueRule {
  bool may_be_null = false;
  std::optional<std::int64_t> least = {};
  bool has_meaning = false; ///< it is written
};

/// Writes "type": a name, or an array of it and "null".
void write_type(JsonWriter& json, std::string_view type, bool may_be_null);
/// Writes "enum", or "const" for a single word.
void write_words(JsonWriter& json, const std::vector<std::string_view>& words, bool may_be_null);
/// Writes the members that begin the schema of a document.
void write_schema_head(JsonWriter& json, const JsonDocumentFacts& facts);

template <class Number> void write_number_rule(JsonWriter& json, const ValueRule& rule) {
  write_type(json, std::is_integral_v<Number> ? "integer" : "number", rule.may_be_null);
  if (rule.least)
    json.member("minimum", *rule.least);
  else if (std::is_unsigned_v<Number>)
    json.member("minimum", 0);
}

template <class Subject, class Value>
void write_form(SchemaWriter& writer, const PlainForm& /*form*/, const ValueRule& rule) {
  if constexpr (std::is_same_v<Value, bool>)
    write_type(writer.json(), "boolean", rule.may_be_null);
  else if constexpr (std::is_arithmetic_v<Value>)
    write_number_rule<Value>(writer.json(), rule);
  else
    write_type(writer.json(), "string", rule.may_be_null);
}

template <class Subject, class Value>
void write_form(SchemaWriter& writer, const DecimalForm& /*form*/, const ValueRule& rule) {
  write_type(writer.json(), "string", rule.may_be_null);
  writer.json().member("pattern", std::is_unsigned_v<Value> ? "^[0-9]+$" : "^-?[0-9]+$");
}

template <class Subject, class Value, class Constant>
void write_form(SchemaWriter& writer, const ConstantForm<Constant>& form, const ValueRule& /*rule*/) {
  writer.json().member("const", form.constant);
}

template <class Subject, class Value>
void write_form(SchemaWriter& writer, const WordForm& form, const ValueRule& rule) {
  write_words(writer.json(), {form.words.begin(), form.words.end()}, rule.may_be_null);
}

template <class Subject, class Value, class Enumeration>
void write_form(SchemaWriter& writer, const NameForm<Enumeration>& form, const ValueRule& rule) {
  std::vector<std::string_view> names;
  using Number = std::underlying_type_t<Enumeration>;
  for (int number = static_cast<int>(form.first); number <= static_cast<int>(form.last); ++number) {
    const auto value = static_cast<Enumeration>(static_cast<Number>(number));
    if (value != form.never) names.push_back(form.name(value));
  }
  write_words(writer.json(), names, rule.may_be_null);
}

template <class Subject, class Value>
void write_form(SchemaWriter& writer, const DictionaryForm& /*form*/, const ValueRule& rule) {
  using Content = std::remove_cvref_t<decltype(std::begin(std::declval<const Value&>())->second)>;
  write_type(writer.json(), "object", rule.may_be_null);
  writer.json().key("additionalProperties").begin_object();
  write_form<Subject, Content>(writer, PlainForm{}, {false, rule.least, false});
  writer.json().end_object();
}

template <class Subject, class Value, class Object>
void write_form(SchemaWriter& writer, const ObjectForm<Object>& form, const ValueRule& rule) {
  const auto write_reference = [&] {
    writer.refer(form.object->facts.name, form.object, [](SchemaWriter& to, const void* content) {
      write_object_rules(to, *static_cast<const Object*>(content), {});
    });
  };
  if (form.object->facts.name.empty()) return write_object_rules(writer, *form.object, rule);
  if (!rule.may_be_null) return write_reference();
  writer.json().key("anyOf").begin_array().begin_object();
  write_reference();
  writer.json().end_object().begin_object().member("type", "null").end_object().end_array();
}

/// Writes the rules of a form that writes them itself.
template <class Subject, class Value, class Form>
requires requires(const Form& form, SchemaWriter& writer, const ValueRule& rule) {
  form.write_rules(writer, rule);
}
void write_form(SchemaWriter& writer, const Form& form, const ValueRule& rule) {
  form.write_rules(writer, rule);
}

template <class Subject, class Value, class Make, class Form>
void write_form(SchemaWriter& writer, const MadeForm<Make, Form>& form, const ValueRule& rule) {
  using Made = std::remove_cvref_t<std::invoke_result_t<Make, const Subject&, const Value&>>;
  write_value_rules<Subject, Made>(writer, form.form, rule);
}

/// Writes the rules of values of this type and form.
template <class Subject, class Value, class Form>
void write_value_rules(SchemaWriter& writer, const Form& form, const ValueRule& rule) {
  if constexpr (kMayBeNull<Value>) {
    using Content = std::remove_cvref_t<decltype(*std::declval<Value>())>;
    write_value_rules<Subject, Content>(writer, form, {true, rule.least, rule.has_meaning});
  } else if constexpr (kIsArray<Value> && !std::is_same_v<Form, DictionaryForm>) {
    using Element = std::remove_cvref_t<decltype(*std::begin(std::declval<const Value&>()))>;
    write_type(writer.json(), "array", rule.may_be_null);
    writer.json().key("items").begin_object();
    write_value_rules<Subject, Element>(writer, form, {false, rule.least, false});
    writer.json().end_object();
  } else {
    write_form<Subject, Value>(writer, form, rule);
  }
}

/// Visits the members of an object and of those that it includes: `visit(member, type of the subject, is_required)`.
template <class Subject, class... Members, class Visit>
void for_each_member(const JsonObject<Subject, Members...>& object, bool is_required, const Visit& visit) {
  std::apply([&](const auto&... members) { (visit_member<Subject>(members, is_required, visit), ...); },
             object.members);
}

template <class Subject, class Get, class Form, class When, class Visit>
void visit_member(const JsonMember<Get, Form, When>& member, bool is_required, const Visit& visit) {
  visit.template operator()<Subject>(member, is_required && std::is_same_v<When, Always>);
}

template <class Subject, class Object, class Get, class When, class Visit>
void visit_member(const JsonMembersOf<Object, Get, When>& members, bool is_required, const Visit& visit) {
  for_each_member(*members.object, is_required && std::is_same_v<When, Always>, visit);
}

template <class Subject, class Visit>
void visit_member(const JsonLayoutChange& /*change*/, bool /*is_required*/, const Visit& /*visit*/) {
}

template <class Subject, class Get, class Form, class When>
void write_property(SchemaWriter& writer, const JsonMember<Get, Form, When>& member) {
  using Source = std::remove_cvref_t<std::invoke_result_t<Get, const Subject&>>;
  const ValueRule rule{false, member.facts.least, !member.facts.meaning.empty()};
  writer.json().key(member.facts.name).begin_object();
  if (rule.has_meaning) writer.json().member("description", member.facts.meaning);
  if (member.facts.is_never_empty) writer.json().member("minItems", 1);
  if constexpr (kMayBeNull<Source> && std::is_same_v<When, IfAny>)
    write_value_rules<Subject, std::remove_cvref_t<decltype(*std::declval<Source>())>>(writer, member.form, rule);
  else
    write_value_rules<Subject, Source>(writer, member.form, rule);
  writer.json().end_object();
}

/// Writes the entries of "properties".
template <class Object> void write_properties(SchemaWriter& writer, const Object& object) {
  for_each_member(object, true, [&]<class Subject>(const auto& member, bool /*is_required*/) {
    write_property<Subject>(writer, member);
  });
}

/// Writes the entries of "required".
template <class Object> void write_required(JsonWriter& json, const Object& object) {
  for_each_member(object, true, [&]<class Subject>(const auto& member, bool is_required) {
    if (is_required) json.value(member.facts.name);
  });
}

/// Writes the schema of an object, as members of an open one.
template <class Object> void write_object_rules(SchemaWriter& writer, const Object& object, const ValueRule& rule) {
  JsonWriter& json = writer.json();
  if (!rule.has_meaning) json.member("description", object.facts.meaning);
  write_type(json, "object", rule.may_be_null);
  json.key("properties").begin_object();
  write_properties(writer, object);
  json.end_object().key("required").begin_array();
  write_required(json, object);
  json.end_array().member("additionalProperties", false);
}

/// Returns the schema as a text that ends in a newline.
template <class Object> [[nodiscard]] std::string schema_text(const JsonDocument<Object>& document) {
  return json_document([&](JsonWriter& json) {
    SchemaWriter writer(json);
    write_schema_head(json.begin_object(), document.facts);
    json.key("properties").begin_object();
    json.key("schema").begin_object();
    json.member("description", "Name and version of this schema: the first number rises where a name or a meaning "
                               "changes, the second where something is added");
    json.member("const", document.facts.schema).end_object();
    json.key("memviz").begin_object().member("description", "Version of the memviz that wrote this");
    json.member("type", "string").end_object();
    write_properties(writer, document.object);
    json.end_object().key("required").begin_array().value("schema").value("memviz");
    write_required(json, document.object);
    json.end_array().member("additionalProperties", false);
    writer.write_definitions();
    json.end_object();
  });
}

} // namespace memviz
