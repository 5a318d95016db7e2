#pragma once

// A JSON document -> the values that its description (json_object.hpp) writes: each member whose source is itself a
// place to write to is read; the others are made of these. A member that is always written must exist.

#include "base/json_object.hpp"
#include "base/suggest.hpp"
#include "value/document.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace memviz::json {

/// The largest number that is read, unless its member is of any size: hundreds of thousands can be summed.
inline constexpr std::uint64_t kMostInObjects = std::uint64_t{1} << 56U;

/// Whether a source of `Subject` is a place to write to.
template <class Get, class Subject> inline constexpr bool kIsPlace = requires(const Get& get, Subject& subject) {
  requires std::is_lvalue_reference_v<decltype(std::invoke(get, subject))>;
  requires !std::is_const_v<std::remove_reference_t<decltype(std::invoke(get, subject))>>;
};

/// Reads objects. All throwing members throw SchemaError, which names the place.
class ObjectReader {
public:
  explicit ObjectReader(const Document& document) : document_(document) {}

  /// Reads the members, then the groups of members whose condition these fulfil.
  template <class Object, class Subject> void read(const Field& field, const Object& object, Subject& subject) const {
    field.require(Kind::dict);
    std::apply([&](const auto&... members) { (read_member(field, members, subject), ...); }, object.members);
    std::apply([&](const auto&... members) { (read_conditional(field, members, subject), ...); }, object.members);
  }

private:
  template <class Get, class Form, class When, class Subject>
  void read_member(const Field& field, const JsonMember<Get, Form, When>& member, Subject& subject) const {
    if constexpr (kIsPlace<Get, Subject>) {
      const Field inner = field.member(member.facts.name, document_.get(field.value, member.facts.name));
      if (inner.is_present() || std::is_same_v<When, Always>)
        read_value(inner, member.form, member.facts, std::invoke(member.get, subject));
    }
  }
  template <class Object, class Get, class When, class Subject>
  void read_member(const Field& field, const JsonMembersOf<Object, Get, When>& group, Subject& subject) const {
    static_assert(kIsPlace<Get, Subject>);
    if constexpr (std::is_same_v<When, Always>) read(field, *group.object, std::invoke(group.get, subject));
  }
  template <class Subject>
  void read_member(const Field& /*field*/, const JsonLayoutChange& /*change*/, Subject& /*subject*/) const {}

  template <class Object, class Get, class When, class Subject>
  void read_conditional(const Field& field, const JsonMembersOf<Object, Get, When>& group, Subject& subject) const {
    if constexpr (!std::is_same_v<When, Always>)
      if (std::invoke(group.is_there, subject)) read(field, *group.object, std::invoke(group.get, subject));
  }
  template <class Member, class Subject>
  void read_conditional(const Field& /*field*/, const Member& /*member*/, Subject& /*subject*/) const {}

  template <class Form, class Target>
  void read_value(const Field& field, const Form& form, const JsonMemberFacts& facts, Target& value) const {
    read_form(field, form, facts, value);
  }
  template <class Form, class Target>
  void read_value(const Field& field, const Form& form, const JsonMemberFacts& facts,
                  std::optional<Target>& value) const {
    if (field.is_present()) read_value(field, form, facts, value.emplace());
  }
  template <class Form, class Target>
  void read_value(const Field& field, const Form& form, const JsonMemberFacts& facts,
                  std::vector<Target>& values) const {
    if constexpr (std::is_same_v<Form, DictionaryForm>)
      read_texts(field, values);
    else
      read_items(field, form, facts, values);
  }

  template <class Form, class Item>
  void read_items(const Field& field, const Form& form, const JsonMemberFacts& facts, std::vector<Item>& items) const {
    field.require(Kind::list);
    document_.for_each(field.value, [&](Value item) {
      const Field inner = field.item(items.size(), item);
      read_value(inner, form, facts, items.emplace_back());
      return true;
    });
  }
  /// Leaves out what is not a text.
  template <class Texts> void read_texts(const Field& field, Texts& texts) const {
    field.require(Kind::dict);
    document_.for_each_item(field.value, [&](Value key, Value value) {
      if (key.kind() == Kind::text && value.kind() == Kind::text)
        texts.emplace_back(document_.text(key), document_.text(value));
    });
  }

  void read_form(const Field& field, const PlainForm& /*form*/, const JsonMemberFacts& /*facts*/,
                 std::string& text) const {
    text = field.text(document_);
  }
  void read_form(const Field& field, const PlainForm& /*form*/, const JsonMemberFacts& /*facts*/, bool& is_so) const {
    field.require(Kind::boolean);
    is_so = field.value == Value::boolean(true);
  }
  template <std::integral Number>
  void read_form(const Field& field, const PlainForm& /*form*/, const JsonMemberFacts& facts, Number& number) const {
    using Limits = std::numeric_limits<Number>;
    if constexpr (std::is_signed_v<Number>)
      number = signed_number(field, facts.least.value_or(Limits::min()));
    else if (facts.is_of_any_size)
      number = static_cast<Number>(unsigned_number(field, Limits::max()));
    else
      number = static_cast<Number>(unsigned_number(field, std::min<std::uint64_t>(Limits::max(), kMostInObjects)));
  }
  template <class Enumeration>
  void read_form(const Field& field, const NameForm<Enumeration>& form, const JsonMemberFacts& /*facts*/,
                 Enumeration& value) const {
    const std::string_view name = field.text(document_);
    std::vector<std::string_view> names;
    for (int number = static_cast<int>(form.first); number <= static_cast<int>(form.last); ++number) {
      value = static_cast<Enumeration>(number);
      if (value == form.never) continue;
      if (form.name(value) == name) return;
      names.push_back(form.name(value));
    }
    if (!form.of_others) field.fail(listed(names), fmt::format("'{}'", name));
    value = *form.of_others;
  }
  template <class Object>
  void read_form(const Field& field, const ObjectForm<Object>& form, const JsonMemberFacts& /*facts*/,
                 typename Object::Subject& subject) const {
    read(field, *form.object, subject);
  }
  /// Reads a form that reads itself.
  template <class Form, class Target>
  requires requires(const Form& form, const Document& document, const Field& field, Target& value) {
    form.read(document, field, value);
  }
  void read_form(const Field& field, const Form& form, const JsonMemberFacts& /*facts*/, Target& value) const {
    form.read(document_, field, value);
  }

  [[nodiscard]] std::uint64_t unsigned_number(const Field& field, std::uint64_t most) const {
    const auto number = document_.as_unsigned(field.value);
    if (!number) field.fail("a number of at least 0", value_name(field.value.kind()));
    if (*number > most) field.fail(fmt::format("a number of at most {}", most), std::to_string(*number));
    return *number;
  }
  [[nodiscard]] std::int64_t signed_number(const Field& field, std::int64_t least) const {
    const auto number = document_.as_signed(field.value);
    if (!number) field.fail("a number", value_name(field.value.kind()));
    if (*number < least) field.fail(fmt::format("a number of at least {}", least), std::to_string(*number));
    return *number;
  }

  const Document& document_;
};

} // namespace memviz::json
