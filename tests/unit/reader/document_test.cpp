#include "value/document.hpp"

#include "value/field.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;

namespace {

std::vector<std::int64_t> numbers(const Document& document, Value list) {
  std::vector<std::int64_t> found;
  document.for_each(list, [&](Value item) {
    found.push_back(document.as_signed(item).value());
    return true;
  });
  return found;
}

} // namespace

TEST_CASE("a list keeps its elements in order, however they arrive") {
  Document document;
  const Value first = document.add_list();
  const Value second = document.add_list();
  const std::vector<Value> items{Value::integer(1), Value::integer(2)};
  document.append(first, items);
  document.append(second, items);
  document.append(first, std::span(items).first(1)); // not after its first batch any more
  CHECK(numbers(document, first) == std::vector<std::int64_t>{1, 2, 1});
  CHECK(numbers(document, second) == std::vector<std::int64_t>{1, 2});
  CHECK(document.list_size(first) == 3);
}

TEST_CASE("dicts with equal keys are rows of one shape") {
  Document document;
  const Value action = document.add_text("action");
  const Value size = document.add_text("size");
  std::vector<Value> dicts;
  for (int i = 0; i < 10'000; ++i) {
    dicts.push_back(document.add_dict());
    const std::vector<Value> items{action, document.add_text("alloc"), size, Value::integer(i / 5000)};
    document.set_items(dicts.back(), items);
  }
  CHECK(document.dict(dicts[0]).shape == document.dict(dicts[9999]).shape);
  CHECK(document.dict(dicts[0]).shape->row_count() == 10'000);
  SUBCASE("a column that changes late still gives each row its own value") {
    CHECK(document.as_signed(document.get(dicts[4999], "size")) == 0);
    CHECK(document.as_signed(document.get(dicts[5000], "size")) == 1);
    CHECK(document.text(document.get(dicts[7], "action")) == "alloc");
  }
  SUBCASE("a key added later moves the dict out of its row") {
    const std::vector<Value> more{document.add_text("extra"), Value::integer(7)};
    document.set_items(dicts[3], more);
    CHECK(document.as_signed(document.get(dicts[3], "extra")) == 7);
    CHECK(document.as_signed(document.get(dicts[3], "size")) == 0);
    CHECK(document.get(dicts[4], "extra").kind() == Kind::unset);
  }
}

TEST_CASE("odd dicts stay bounded and correct") {
  Document document;
  SUBCASE("more shapes than are kept") {
    std::vector<Value> dicts;
    for (int i = 0; i < 6000; ++i) {
      dicts.push_back(document.add_dict());
      const std::vector<Value> items{document.add_owned_text("key" + std::to_string(i)), Value::integer(i)};
      document.set_items(dicts.back(), items);
    }
    CHECK(document.as_signed(document.get(dicts[17], "key17")) == 17);
    CHECK(document.as_signed(document.get(dicts[5999], "key5999")) == 5999);
  }
  SUBCASE("more keys than a shape has") {
    const Value dict = document.add_dict();
    std::vector<Value> items;
    for (int i = 0; i < 100; ++i) {
      items.push_back(document.add_owned_text("key" + std::to_string(i)));
      items.push_back(Value::integer(i));
    }
    document.set_items(dict, items);
    CHECK(document.dict(dict).shape == nullptr);
    CHECK(document.as_signed(document.get(dict, "key99")) == 99);
  }
  SUBCASE("thousands of keys, some of them again and again, one by one") {
    const Value dict = document.add_dict();
    for (int i = 0; i < 5000; ++i) {
      const Value key = i % 3 == 0 ? document.add_text("again") : document.add_owned_text("key" + std::to_string(i));
      document.set_items(dict, std::vector<Value>{key, Value::integer(i)});
    }
    CHECK(document.as_signed(document.get(dict, "again")) == 4998);
    CHECK(document.as_signed(document.get(dict, "key1")) == 1);
    CHECK(document.as_signed(document.get(dict, "key4999")) == 4999);
    CHECK(document.get(dict, "key3").kind() == Kind::unset);
    int count = 0;
    document.for_each_item(dict, [&](Value, Value value) { CHECK(document.as_signed(value) == count++); });
    CHECK(count == 5000);
  }
}

TEST_CASE("equal text is one value; text and bytes are not") {
  Document document;
  CHECK(document.add_text("stream") == document.add_owned_text("stream"));
  CHECK(document.add_text("stream") == document.find_text("stream"));
  CHECK(document.add_text("stream", Kind::bytes) != document.add_text("stream"));
  const std::string megabytes(2'000'000, 'b');
  const Value unseen = document.add_text(megabytes, Kind::bytes);
  CHECK(document.text(unseen) == megabytes);
  CHECK(document.find_text(megabytes).kind() == Kind::unset);
  const Value seen = document.add_text(megabytes);
  CHECK(document.find_text(megabytes) == seen);
  for (int i = 0; i < 1000; ++i)
    document.add_owned_text(std::to_string(i));
  CHECK(document.text(document.find_text("999")) == "999");
  CHECK(document.text(unseen) == megabytes);
  CHECK(document.find_text("absent").kind() == Kind::unset);
}

TEST_CASE("integers keep their value up to 64 bits of either sign") {
  Document document;
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN, std::int64_t{1} << 59U}) {
    CHECK(document.as_signed(document.add_integer(number)) == number);
  }
  CHECK(document.as_unsigned(document.add_unsigned(UINT64_MAX)) == UINT64_MAX);
  CHECK(document.as_signed(document.add_unsigned(UINT64_MAX)) == std::nullopt);
  CHECK(document.as_unsigned(document.add_integer(-1)) == std::nullopt);
}

TEST_CASE("a value of another kind than expected is an error, because files choose kinds") {
  Document document;
  const Value dict = document.add_dict();
  const Value text = document.add_text("a");
  for (const Value value : {Value(), Value::none(), Value::boolean(true), Value::integer(1000), text,
                            document.add_real(1.5), document.add_list()}) {
    CAPTURE(value_name(value.kind()));
    CHECK_THROWS_AS(static_cast<void>(document.get(value, "a")), SchemaError);
    CHECK_THROWS_AS(static_cast<void>(document.get(value, text)), SchemaError);
    CHECK_THROWS_AS(document.for_each_item(value, [](Value, Value) {}), SchemaError);
  }
  for (const Value value : {Value(), Value::integer(1000), text, dict}) {
    CAPTURE(value_name(value.kind()));
    CHECK_THROWS_AS(static_cast<void>(document.list_size(value)), SchemaError);
    CHECK_THROWS_AS(document.for_each(value, [](Value) { return true; }), SchemaError);
  }
  CHECK_THROWS_AS(static_cast<void>(document.text(dict)), SchemaError);
  CHECK_THROWS_AS(static_cast<void>(document.real(dict)), SchemaError);
  CHECK_THROWS_WITH(static_cast<void>(document.get(Value::integer(7), "device")),
                    "expected a dict with 'device', found an int");
}
