#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"

#include <array>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace memviz {

namespace {

using Json = nlohmann::json;

enum class Colour : std::uint8_t { red, none, green };

std::string_view colour_name(Colour colour) {
  return colour == Colour::red ? "red" : "green";
}

struct Wheel {
  std::uint64_t bytes = 0;
  std::int64_t change = 0;
};

struct Car {
  std::string name;
  Colour colour = Colour::red;
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> note = {};
  std::vector<Wheel> wheels = {};
  std::optional<Wheel> spare = {};
  std::uint64_t address = 0;
  std::vector<std::pair<std::string, std::string>> settings = {};
};

constexpr auto kWheel = json_object<Wheel>(
    {.meaning = "A wheel", .name = "wheel", .layout = JsonLayout::spaced}, member("bytes", "Its size", &Wheel::bytes),
    member("change_bytes", "Its growth", [](const Wheel& wheel) { return wheel.change; }));

constexpr auto kIdentity = json_object<Car>({}, member("address", "Where it is", &Car::address, kDecimal));

constexpr std::array<std::string_view, 3> kPaints{"matt", "none", "bright"};

constexpr auto kCar = json_described<Car>(
    {.schema = "memviz.car/1.2", .title = "A car", .meaning = "What a car is"}, member("name", "Its name", &Car::name),
    member("colour", "Its colour", &Car::colour, named(colour_name, Colour::red, Colour::green).without(Colour::none)),
    member("paint", "Its paint", &Car::colour, one_of(kPaints)),
    member("limit_bytes", "Its limit", &Car::limit_bytes).at_least(1), member("note", "A note", &Car::note).if_any(),
    member("wheels", "Its wheels", &Car::wheels, kWheel).never_empty(),
    member("spare", "One more", &Car::spare, kWheel),
    member("sums", "Sums", &Car::wheels,
           made_by([](const Car& car, const Wheel& wheel) { return car.address + wheel.bytes; }, PlainForm{}))
        .if_any(),
    members_of(kIdentity, [](const Car& car) -> const Car& { return car; }).when([](const Car& car) {
      return car.address > 0;
    }),
    member("settings", "Its settings", &Car::settings, kDictionary), constant("seats", "Its seats", 5));

Json written(const Car& car) {
  return Json::parse(document_text(kCar, car));
}

Json schema() {
  return Json::parse(schema_text(kCar));
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items())
    keys.push_back(item.key());
  return keys;
}

} // namespace

TEST_CASE("a described object is written with its members in their order and its layout") {
  std::string text;
  JsonWriter json(text);
  write_object(json, kWheel, {8, -1});
  CHECK(text == R"({"bytes": 8, "change_bytes": -1})");
}

TEST_CASE("a member of a described object may lay out its array") {
  constexpr auto kNames = json_object<std::vector<int>>(
      {}, member("numbers", "Some", [](const std::vector<int>& numbers) { return numbers; }).as(JsonLayout::compact));
  std::string text;
  JsonWriter json(text);
  write_object(json, kNames, {1, 2});
  CHECK(text == "{\n  \"numbers\": [1,2]\n}");
}

TEST_CASE("a described object may change its layout between two members") {
  constexpr auto kBytes = json_object<Wheel>({.layout = JsonLayout::compact}, member("a", "One", &Wheel::bytes),
                                             member("b", "Two", &Wheel::bytes), from_here(JsonLayout::spaced),
                                             member("c", "Three", &Wheel::bytes));
  std::string text;
  JsonWriter json(text);
  write_object(json, kBytes, {8, 0});
  CHECK(text == R"({"a":8,"b":8, "c": 8})");
}

TEST_CASE("a schema does not require a member that documents of older versions lack") {
  constexpr auto kBytes =
      json_described<Wheel>({.schema = "memviz.bytes/1.0", .title = "Bytes", .meaning = "Two sizes"},
                            member("old", "One", &Wheel::bytes), member("new", "Two", &Wheel::bytes).not_in_older());
  CHECK(Json::parse(document_text(kBytes, {8, 0}))["new"] == 8);
  const Json document = Json::parse(schema_text(kBytes));
  CHECK(document["required"] == Json{"schema", "memviz", "old"});
  CHECK(document["properties"].contains("new"));
}

TEST_CASE("a member of a described object is null or left out where its value is not there") {
  const Json car = written({.name = "a"});
  CHECK(car["limit_bytes"].is_null());
  CHECK(car["spare"].is_null());
  CHECK(car["wheels"] == Json::array());
  CHECK(car["settings"] == Json::object());
  for (const char* const name : {"note", "sums", "address"})
    CHECK_FALSE(car.contains(name));
}

TEST_CASE("a described object has every member that is there") {
  const Json car = written({.name = "a",
                            .colour = Colour::green,
                            .limit_bytes = 5,
                            .note = "n",
                            .wheels = {{1, 2}},
                            .spare = Wheel{3, 4},
                            .address = 0xFFFF'FFFF'FFFF'FFFF,
                            .settings = {{"key", "value"}}});
  CHECK(car["schema"] == "memviz.car/1.2");
  CHECK(car["colour"] == "green");
  CHECK(car["paint"] == "bright");
  CHECK(car["limit_bytes"] == 5);
  CHECK(car["note"] == "n");
  CHECK(car["wheels"] == Json::parse(R"([{"bytes": 1, "change_bytes": 2}])"));
  CHECK(car["spare"] == Json::parse(R"({"bytes": 3, "change_bytes": 4})"));
  CHECK(car["sums"] == Json::array({0}));
  CHECK(car["address"] == "18446744073709551615");
  CHECK(car["settings"] == Json{{"key", "value"}});
  CHECK(car["seats"] == 5);
}

TEST_CASE("a schema has the members of the description and requires those that are always there") {
  const Json document = schema();
  CHECK(document["$id"] == "urn:memviz:schema:car:1.2");
  CHECK(document["properties"]["schema"]["const"] == "memviz.car/1.2");
  CHECK(document["additionalProperties"] == false);
  CHECK(document["required"] ==
        Json{"schema", "memviz", "name", "colour", "paint", "limit_bytes", "wheels", "spare", "settings", "seats"});
  CHECK(keys(document["properties"]) == keys(written({.name = "a", .note = "n", .wheels = {{}}, .address = 1})));
}

TEST_CASE("a schema has the type of each member from its source") {
  const Json members = schema()["properties"];
  CHECK(members["name"] == Json{{"description", "Its name"}, {"type", "string"}});
  CHECK(members["colour"]["enum"] == Json{"red", "green"});
  CHECK(members["paint"]["enum"] == Json{"matt", "none", "bright"});
  CHECK(members["limit_bytes"]["type"] == Json{"integer", "null"});
  CHECK(members["limit_bytes"]["minimum"] == 1);
  CHECK(members["note"]["type"] == "string");
  CHECK(members["sums"]["items"] == Json{{"type", "integer"}, {"minimum", 0}});
  CHECK(members["address"]["pattern"] == "^[0-9]+$");
  CHECK(members["seats"] == Json{{"description", "Its seats"}, {"const", 5}});
  CHECK(members["settings"]["additionalProperties"] == Json{{"type", "string"}});
}

TEST_CASE("a schema defines an object with a name once, and refers to it") {
  const Json document = schema();
  CHECK(document["properties"]["wheels"]["minItems"] == 1);
  CHECK(document["properties"]["wheels"]["items"] == Json{{"$ref", "#/$defs/wheel"}});
  CHECK(document["properties"]["spare"]["anyOf"] == Json::parse(R"([{"$ref": "#/$defs/wheel"}, {"type": "null"}])"));
  CHECK(keys(document["$defs"]) == std::vector<std::string>{"wheel"});
  const Json& wheel = document["$defs"]["wheel"];
  CHECK(wheel["description"] == "A wheel");
  CHECK(wheel["properties"]["bytes"]["minimum"] == 0);
  CHECK_FALSE(wheel["properties"]["change_bytes"].contains("minimum"));
  CHECK(wheel["required"] == Json{"bytes", "change_bytes"});
}

TEST_CASE("a device that may be null has no schema") {
  struct Place {
    std::optional<DeviceId> device;
  };
  constexpr auto kPlace =
      json_described<Place>({.schema = "memviz.place/1.0", .title = "A place", .meaning = "Where memory is"},
                            member("device", "Its device", &Place::device, kDeviceForm));
  CHECK_THROWS_AS((void)schema_text(kPlace), std::logic_error);
}

TEST_CASE("two objects cannot have the same name in a schema") {
  static constexpr auto kOther = json_object<Wheel>({.meaning = "Another", .name = "wheel"});
  constexpr auto kBoth = json_described<Car>({.schema = "memviz.both/1.0", .title = "Both", .meaning = "Two wheels"},
                                             member("spare", "One", &Car::spare, kWheel),
                                             member("wheels", "Others", &Car::wheels, kOther));
  CHECK_THROWS_AS((void)schema_text(kBoth), std::logic_error);
}

} // namespace memviz
