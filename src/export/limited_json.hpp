#pragma once

// A form of values in JSON whose text counts against a TextLimit.

#include "base/json_object_schema.hpp"
#include "export/text_limit.hpp"

#include <cstddef>
#include <functional>

namespace memviz {

/// The form of a value whose bytes are added to the TextLimit that `limit(subject)` returns.
template <class Limit, class Form> struct LimitedForm {
  Limit limit;
  Form form;

  template <class Subject, class Value> void write(JsonWriter& json, const Subject& subject, const Value& value) const {
    const std::size_t before = json.written_bytes();
    write_value(json, form, subject, value);
    std::invoke(limit, subject).add(json.written_bytes() - before);
  }
};

template <class Limit, class Form> [[nodiscard]] constexpr LimitedForm<Limit, Form> limited(Limit limit, Form form) {
  return {limit, form};
}

template <class Subject, class Value, class Limit, class Form>
void write_form(SchemaWriter& writer, const LimitedForm<Limit, Form>& form, const ValueRule& rule) {
  write_value_rules<Subject, Value>(writer, form.form, rule);
}

} // namespace memviz
