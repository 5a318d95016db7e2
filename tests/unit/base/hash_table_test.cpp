#include "base/hash_map.hpp"
#include "base/hash_table.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <string>

namespace memviz {

namespace {

/// Numbers that share four hashes, so that nearly all of them collide.
struct Crowd {
  static std::uint64_t hash_of(std::uint32_t number) { return number % 4; }
  HashTable<std::uint32_t> table;

  [[nodiscard]] bool contains(std::uint32_t number) const {
    return table.find(hash_of(number), [&](std::uint32_t one) { return one == number; }) != nullptr;
  }
  void add(std::uint32_t number) {
    std::uint32_t& slot = table.place(
        hash_of(number), [&](std::uint32_t one) { return one == number; }, hash_of);
    if (slot == 0) table.fill(slot, number);
  }
  void remove(std::uint32_t number) {
    const std::uint32_t* const slot = table.find(hash_of(number), [&](std::uint32_t one) { return one == number; });
    if (slot != nullptr) table.remove(*slot, hash_of);
  }
};

} // namespace

TEST_CASE("what is removed from a crowded table leaves all others to be found") {
  std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same numbers each time
  Crowd crowd;
  std::map<std::uint32_t, bool> wanted;
  for (int i = 0; i < 3000; ++i) {
    const auto number = static_cast<std::uint32_t>(random() % 60 + 1);
    if (random() % 2 == 0) {
      crowd.add(number);
      wanted[number] = true;
    } else {
      crowd.remove(number);
      wanted[number] = false;
    }
    if (i % 50 == 0)
      for (std::uint32_t one = 1; one <= 60; ++one)
        CHECK(crowd.contains(one) == wanted[one]);
  }
}

TEST_CASE("a table keeps half of its slots free, and begins as small as asked") {
  HashTable<std::uint32_t, 64> table;
  CHECK(table.slots().empty());
  const auto hash_of = [](std::uint32_t number) { return std::uint64_t{number}; };
  for (std::uint32_t number = 1; number <= 1000; ++number) {
    table.fill(table.place(
                   number, [&](std::uint32_t one) { return one == number; }, hash_of),
               number);
    CHECK(table.slots().size() >= 64);
    CHECK(2 * table.size() <= table.slots().size());
  }
  CHECK(table.size() == 1000);
  CHECK(table.slots().size() == 2048);
}

TEST_CASE("HashMap does what std::map does, with texts that are asked for as views") {
  HashMap<std::string, int> fast;
  std::map<std::string, int, std::less<>> plain;
  std::mt19937 random(2); // NOLINT(cert-msc51-cpp)
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "key " + std::to_string(random() % 700);
    const auto [value, is_new] = fast.add(std::string_view(key), i);
    const auto [entry, is_first] = plain.try_emplace(key, i);
    CHECK(is_new == is_first);
    CHECK(value == entry->second);
    value = entry->second = i;
  }
  CHECK(fast.size() == plain.size());
  CHECK(fast.find("no such key") == nullptr);
  std::size_t seen = 0;
  fast.for_each([&](const std::string& key, int value) {
    ++seen;
    CHECK(plain.at(key) == value);
  });
  CHECK(seen == plain.size());
}

TEST_CASE("a set is a map that keeps no values, and clear() empties it") {
  constexpr std::uint64_t kLast = UINT64_MAX;
  HashSet<std::uint64_t> set;
  CHECK(set.add(std::uint64_t{0}).is_new);
  CHECK(set.add(kLast).is_new);
  CHECK_FALSE(set.add(std::uint64_t{0}).is_new);
  CHECK(set.contains(kLast));
  CHECK_FALSE(set.contains(kLast - 1));
  set.clear();
  CHECK(set.empty());
  CHECK_FALSE(set.contains(std::uint64_t{0}));
}

TEST_CASE("keys that a file chose for a plain table to be slow do not make this one slow") {
  // Without a secret these would all begin at one slot.
  HashMap<std::uint64_t, int> map;
  for (std::uint64_t i = 0; i < 200'000; ++i)
    map.add(i << 40U, 0);
  CHECK(map.size() == 200'000);
}

} // namespace memviz
