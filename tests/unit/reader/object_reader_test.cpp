#include "json/object_reader.hpp"

#include "json/json_reader.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

namespace {

enum class Shade : std::uint8_t { light, dark };

std::string_view shade_name(Shade shade) {
  return shade == Shade::light ? "light" : "dark";
}

struct Box {
  std::string label;
  std::uint64_t bytes = 0;
};

struct Shelf {
  std::string name;
  std::string fault;
  Shade shade = Shade::light;
  std::int64_t place = 0;
  std::optional<std::uint64_t> serial = {};
  std::vector<Box> boxes = {};
  std::vector<std::pair<std::string, std::string>> notes = {};
  bool is_open = false;
};

constexpr auto kBox =
    json_object<Box>({}, member("label", "Its name", &Box::label), member("bytes", "Its size", &Box::bytes));

constexpr auto kContents =
    json_object<Shelf>({}, member("boxes", "Its boxes", &Shelf::boxes, kBox),
                       member("count", "How many", [](const Shelf& shelf) { return shelf.boxes.size(); }));

constexpr auto kShelf = json_object<Shelf>(
    {}, member("name", "Its name", &Shelf::name),
    member("shade", "Its colour", &Shelf::shade, named(shade_name, Shade::light, Shade::dark)),
    member("place", "Its place", &Shelf::place).at_least(-1),
    member("serial", "Its number", &Shelf::serial).of_any_size(),
    member("notes", "Notes", &Shelf::notes, kDictionary).if_any(),
    member("open", "Whether it is open", &Shelf::is_open).not_in_older(),
    members_of(kContents, std::identity()).when([](const Shelf& shelf) { return shelf.fault.empty(); }),
    member("fault", "Why it has no boxes", &Shelf::fault).if_any());

Shelf read_shelf(std::string_view text) {
  const Document document = json::read(text);
  Shelf shelf;
  json::ObjectReader(document).read({document.root}, kShelf, shelf);
  return shelf;
}

std::string fault_of(std::string_view text) {
  try {
    static_cast<void>(read_shelf(text));
  } catch (const SchemaError& error) {
    return error.what();
  }
  return "none";
}

} // namespace

TEST_CASE("what a description writes is read by the same description") {
  Shelf shelf;
  shelf.name = "low";
  shelf.shade = Shade::dark;
  shelf.place = -1;
  shelf.serial = std::uint64_t{1} << 63U;
  shelf.boxes = {{"a", 7}, {"b", 8}};
  shelf.notes = {{"k", "v"}};
  shelf.is_open = true;
  std::string text;
  JsonWriter json(text);
  write_object(json, kShelf, shelf);
  const Shelf again = read_shelf(text);
  std::string written;
  JsonWriter second(written);
  write_object(second, kShelf, again);
  CHECK(written == text);
  CHECK(again.boxes.size() == 2);
  CHECK(again.serial == shelf.serial);
}

TEST_CASE("members that may be absent keep their value, and a group is read only where its condition holds") {
  const Shelf shelf = read_shelf(R"({"name": "x", "shade": "light", "place": 0, "serial": null, "fault": "wet"})");
  CHECK(shelf.fault == "wet");
  CHECK(!shelf.serial);
  CHECK(!shelf.is_open);
}

TEST_CASE("what is missing or of another type is refused with its place") {
  CHECK(fault_of("[]") == "expected a dict, found a list");
  CHECK(fault_of(R"({"name": "x"})") == "expected a str for shade, found nothing");
  CHECK(fault_of(R"({"name": "x", "shade": "red"})") == "expected light or dark for shade, found 'red'");
  const std::string head = R"({"name": "x", "shade": "dark", "serial": 1, )";
  CHECK(fault_of(head + R"("place": -2})") == "expected a number of at least -1 for place, found -2");
  CHECK(fault_of(head + R"("place": 1})") == "expected a list for boxes, found nothing");
  CHECK(fault_of(head +
                 R"("place": 1, "boxes": [{"label": "a", "bytes": 1}, {"label": "b", "bytes": 72057594037927937}]})") ==
        "expected a number of at most 72057594037927936 for boxes[1].bytes, found 72057594037927937");
  CHECK(fault_of(head + R"("place": 1, "boxes": [7]})") == "expected a dict for boxes[0], found an int");
}

} // namespace memviz
