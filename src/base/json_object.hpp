#pragma once

// Objects of JSON, each described once: the name, the meaning and the source of every member. write_object() writes a
// value by its description, and json_object_schema.hpp makes the JSON Schema of the same description, so that the two
// cannot differ. A member's type in the schema is that of its source: an unsigned number is an integer from 0, an
// optional may be null, a range is an array. Nothing is allocated for a member.
//
//   constexpr auto kProcess = json_object<LoggedProcess>({.meaning = "A process on the device"},
//       member("pid", "Its number", &LoggedProcess::pid), member("bytes", "Its memory", &LoggedProcess::bytes));

#include "base/json_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace memviz {

template <class Type> inline constexpr bool kMayBeNull = std::is_pointer_v<Type>;
template <class Type> inline constexpr bool kMayBeNull<std::optional<Type>> = true;
template <> inline constexpr bool kMayBeNull<const char*> = false;

/// A range that JSON has as an array.
template <class Type>
inline constexpr bool kIsArray = std::ranges::range<Type> && !std::is_convertible_v<const Type&, std::string_view>;

/// The form of values that JsonWriter writes as they are.
struct PlainForm {
  template <class Subject, class Value>
  void write(JsonWriter& json, const Subject& /*subject*/, const Value& value) const {
    json.value(value);
  }
};

/// Integers as text, because JavaScript rounds those above 2^53.
struct DecimalForm {
  template <class Subject, class Value> void write(JsonWriter& json, const Subject& /*subject*/, Value value) const {
    json.value(std::to_string(value));
  }
};
inline constexpr DecimalForm kDecimal;

/// The form of a text that is one of `words`, or of an enumeration whose values have them in this order.
struct WordForm {
  std::span<const std::string_view> words;

  template <class Subject, class Value>
  void write(JsonWriter& json, const Subject& /*subject*/, const Value& value) const {
    if constexpr (std::is_enum_v<Value>)
      json.value(words[static_cast<std::size_t>(value)]);
    else
      json.value(value);
  }
};
/// `words` must outlive the description.
[[nodiscard]] constexpr WordForm one_of(std::span<const std::string_view> words) {
  return {words};
}

/// The form of an enumeration with the names that `name` returns, for its values from `first` to `last`.
template <class Enumeration> struct NameForm {
  std::string_view (*name)(Enumeration);
  Enumeration first;
  Enumeration last;
  std::optional<Enumeration> never = {};
  std::optional<Enumeration> of_others = {}; ///< the value read for another name; absent: it is refused

  /// Says that `value`, one in between, is never written.
  [[nodiscard]] constexpr NameForm without(Enumeration value) const { return {name, first, last, value, of_others}; }
  [[nodiscard]] constexpr NameForm others_as(Enumeration value) const { return {name, first, last, never, value}; }
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, Enumeration value) const {
    json.value(name(value));
  }
};
template <class Enumeration>
[[nodiscard]] constexpr NameForm<Enumeration> named(std::string_view (*name)(Enumeration), Enumeration first,
                                                    Enumeration last) {
  return {name, first, last};
}

/// The form of a value that is always the same.
template <class Constant> struct ConstantForm {
  Constant constant;

  template <class Subject, class Value>
  void write(JsonWriter& json, const Subject& /*subject*/, const Value& /*value*/) const {
    json.value(constant);
  }
};

/// The form of an object that is described elsewhere.
template <class Object> struct ObjectForm {
  const Object* object;

  template <class Subject>
  void write(JsonWriter& json, const Subject& /*subject*/, const typename Object::Subject& value) const {
    write_object(json, *object, value);
  }
};

/// `object` must outlive the form.
template <class Object> [[nodiscard]] constexpr ObjectForm<Object> form_of(const Object& object) {
  return {&object};
}

/// The form of a value from which `make(subject, value)` makes what is written: a view with tables that it needs.
template <class Make, class Form> struct MadeForm {
  Make make;
  Form form;

  template <class Subject, class Value> void write(JsonWriter& json, const Subject& subject, const Value& value) const {
    write_value(json, form, subject, std::invoke(make, subject, value));
  }
};

/// The form of a range of pairs that is an object with any keys.
struct DictionaryForm {
  template <class Subject, class Pair>
  void write(JsonWriter& json, const Subject& /*subject*/, const Pair& pair) const {
    json.member(pair.first, pair.second);
  }
};
inline constexpr DictionaryForm kDictionary;

/// When a member is there.
struct Always {
  template <class Subject> bool operator()(const Subject& /*subject*/) const { return true; }
};
/// If its value is not an empty optional, range or text.
struct IfAny {};
/// Always, but not in documents of older versions, which the schema still describes.
struct NotInOlder : Always {};

struct JsonMemberFacts {
  std::string_view name;
  std::string_view meaning;                ///< with its unit; "" if the form has one
  std::optional<std::int64_t> least = {};  ///< the smallest number; absent: that of the type
  std::optional<JsonLayout> of_array = {}; ///< absent: that of what it is in
  bool is_never_empty = false;             ///< of an array
  bool is_of_any_size = false;             ///< a number that readers do not limit
};

template <class Get, class Form, class When> struct JsonMember {
  JsonMemberFacts facts;
  Get get; ///< a member of the subject, or a function of it
  Form form;
  When is_there;

  /// Leaves the member out where `condition` of the subject is false.
  template <class Condition> [[nodiscard]] constexpr auto when(Condition condition) const {
    return JsonMember<Get, Form, Condition>{facts, get, form, condition};
  }
  /// Leaves the member out where its value is an empty optional, range or text.
  [[nodiscard]] constexpr auto if_any() const { return JsonMember<Get, Form, IfAny>{facts, get, form, {}}; }
  /// Says that documents of older versions, which the schema still describes, lack the member.
  [[nodiscard]] constexpr auto not_in_older() const { return JsonMember<Get, Form, NotInOlder>{facts, get, form, {}}; }
  [[nodiscard]] constexpr JsonMember at_least(std::int64_t number) const {
    return with([&](JsonMemberFacts& changed) { changed.least = number; });
  }
  /// Sets the layout of a member that is an array.
  [[nodiscard]] constexpr JsonMember as(JsonLayout layout) const {
    return with([&](JsonMemberFacts& changed) { changed.of_array = layout; });
  }
  /// Says that a member that is an array has at least one element.
  [[nodiscard]] constexpr JsonMember never_empty() const {
    return with([](JsonMemberFacts& changed) { changed.is_never_empty = true; });
  }
  /// Says that readers do not limit the number.
  [[nodiscard]] constexpr JsonMember of_any_size() const {
    return with([](JsonMemberFacts& changed) { changed.is_of_any_size = true; });
  }

private:
  template <class Change> [[nodiscard]] constexpr JsonMember with(const Change& change) const {
    JsonMember member = *this;
    change(member.facts);
    return member;
  }
};

/// All members of another object, as members of this one.
template <class Object, class Get, class When> struct JsonMembersOf {
  const Object* object;
  Get get; ///< the subject of `object`
  When is_there;

  template <class Condition> [[nodiscard]] constexpr auto when(Condition condition) const {
    return JsonMembersOf<Object, Get, Condition>{object, get, condition};
  }
};

/// In the place of a member: from here on, the members of the object are in another layout.
struct JsonLayoutChange {
  JsonLayout layout;
};
[[nodiscard]] constexpr JsonLayoutChange from_here(JsonLayout layout) {
  return {layout};
}

struct JsonObjectFacts {
  std::string_view meaning = {}; ///< "" if each member that is one has a meaning
  std::string_view name = {};    ///< of its definition in schemas; "" if they have it in each place where it is used
  std::optional<JsonLayout> layout = {}; ///< absent: that of what it is in
};

template <class Of, class... Members> struct JsonObject {
  using Subject = Of;
  JsonObjectFacts facts;
  std::tuple<Members...> members;
};

template <class Subject, class... Members>
[[nodiscard]] constexpr JsonObject<Subject, Members...> json_object(const JsonObjectFacts& facts, Members... members) {
  return {facts, {members...}};
}

/// Returns the same object in another layout.
template <class Object> [[nodiscard]] constexpr Object laid_out(Object object, JsonLayout layout) {
  object.facts.layout = layout;
  return object;
}

template <class Get>
[[nodiscard]] constexpr JsonMember<Get, PlainForm, Always> member(std::string_view name, std::string_view meaning,
                                                                  Get get) {
  return {{name, meaning}, get, {}, {}};
}
template <class Get, class Form>
[[nodiscard]] constexpr JsonMember<Get, Form, Always> member(std::string_view name, std::string_view meaning, Get get,
                                                             Form form) {
  return {{name, meaning}, get, form, {}};
}
template <class Constant>
[[nodiscard]] constexpr auto constant(std::string_view name, std::string_view meaning, Constant value) {
  return member(
      name, meaning, [](const auto& /*subject*/) { return 0; }, ConstantForm<Constant>{value});
}
/// `object` must outlive the description.
template <class Get, class Subject, class... Members>
[[nodiscard]] constexpr JsonMember<Get, ObjectForm<JsonObject<Subject, Members...>>, Always>
member(std::string_view name, std::string_view meaning, Get get, const JsonObject<Subject, Members...>& object) {
  return {{name, meaning}, get, {&object}, {}};
}

/// The source of a member: `inner` of the part `outer` of the subject, which may be a pointer.
template <class Subject, class Part, class Inner> struct PartOf {
  Part Subject::*outer;
  Inner inner;

  decltype(auto) operator()(const Subject& subject) const { return std::invoke(inner, subject.*outer); }
  decltype(auto) operator()(Subject& subject) const { return std::invoke(inner, subject.*outer); }
};
template <class Subject, class Part, class Inner>
[[nodiscard]] constexpr PartOf<Subject, Part, Inner> part_of(Part Subject::*outer, Inner inner) {
  return {outer, inner};
}

template <class Object, class Get>
[[nodiscard]] constexpr JsonMembersOf<Object, Get, Always> members_of(const Object& object, Get get) {
  return {&object, get, {}};
}

template <class Make, class Form> [[nodiscard]] constexpr MadeForm<Make, Form> made_by(Make make, Form form) {
  return {make, form};
}
template <class Make, class Subject, class... Members>
[[nodiscard]] constexpr MadeForm<Make, ObjectForm<JsonObject<Subject, Members...>>>
made_by(Make make, const JsonObject<Subject, Members...>& object) {
  return {make, {&object}};
}

/// Writes null for an empty optional and an array for a range; anything else as its form does.
template <class Form, class Subject, class Value>
void write_value(JsonWriter& json, const Form& form, const Subject& subject, const Value& value,
                 std::optional<JsonLayout> of_array = {}) {
  if constexpr (kMayBeNull<Value>) {
    if (value)
      write_value(json, form, subject, *value, of_array);
    else
      json.value(nullptr);
  } else if constexpr (std::is_same_v<Form, DictionaryForm>) {
    json.begin_object();
    for (const auto& pair : value)
      form.write(json, subject, pair);
    json.end_object();
  } else if constexpr (kIsArray<Value>) {
    of_array ? json.begin_array(*of_array) : json.begin_array();
    for (const auto& element : value)
      write_value(json, form, subject, element);
    json.end_array();
  } else {
    form.write(json, subject, value);
  }
}

/// Whether a value is no empty optional, range or text.
template <class Value> [[nodiscard]] bool is_any(const Value& value) {
  if constexpr (kMayBeNull<Value>)
    return static_cast<bool>(value);
  else
    return !std::empty(value);
}

template <class Get, class Form, class When, class Subject>
void write_member(JsonWriter& json, const JsonMember<Get, Form, When>& member, const Subject& subject) {
  if constexpr (std::is_same_v<When, IfAny>) {
    const auto& value = std::invoke(member.get, subject);
    if (is_any(value)) write_value(json.key(member.facts.name), member.form, subject, value, member.facts.of_array);
  } else {
    if (!std::invoke(member.is_there, subject)) return;
    write_value(json.key(member.facts.name), member.form, subject, std::invoke(member.get, subject),
                member.facts.of_array);
  }
}

template <class Object, class Get, class When, class Subject>
void write_member(JsonWriter& json, const JsonMembersOf<Object, Get, When>& members, const Subject& subject) {
  if (std::invoke(members.is_there, subject)) write_members(json, *members.object, std::invoke(members.get, subject));
}

template <class Subject>
void write_member(JsonWriter& json, const JsonLayoutChange& change, const Subject& /*subject*/) {
  json.set_layout(change.layout);
}

/// Writes the members of an open object.
template <class Object>
void write_members(JsonWriter& json, const Object& object, const typename Object::Subject& subject) {
  std::apply([&](const auto&... members) { (write_member(json, members, subject), ...); }, object.members);
}

template <class Object>
JsonWriter& write_object(JsonWriter& json, const Object& object, const typename Object::Subject& subject) {
  object.facts.layout ? json.begin_object(*object.facts.layout) : json.begin_object();
  write_members(json, object, subject);
  return json.end_object();
}

} // namespace memviz
