#include "memviz/format.hpp"

#include "support/files.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace memviz {

TEST_CASE("format_bytes keeps three digits and never shows 1024 of a unit") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1,023 B");
  CHECK(format_bytes(999 * 1024 + 511) == "999 KiB");
  CHECK(format_bytes(999 * 1024 + 512) == "1,000 KiB");
  CHECK(format_bytes(1023 * 1024 + 511) == "1,023 KiB");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(1536) == "1.50 KiB");
  CHECK(format_bytes(1023 * 1024 + 1000) == "1.00 MiB");
  CHECK(format_bytes(79'912'345) == "76.2 MiB");
  CHECK(format_bytes(24'410'849'280) == "22.7 GiB");
  CHECK(format_bytes(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("format_exact_flops adds the number where the unit hides digits") {
  CHECK(format_exact_flops(999) == "999 FLOP");
  CHECK(format_exact_flops(1000) == "1.00 kFLOP (1,000)");
}

TEST_CASE("format_duration goes from microseconds to days and never shows 60 of a unit") {
  CHECK(format_duration(0) == "0 us");
  CHECK(format_duration(999) == "999 us");
  CHECK(format_duration(1000) == "1.00 ms");
  CHECK(format_duration(999'499) == "999 ms");
  CHECK(format_duration(999'500) == "1.00 s");
  CHECK(format_duration(4'560'000) == "4.56 s");
  CHECK(format_duration(59'499'999) == "59.5 s");
  CHECK(format_duration(59'500'000) == "1 min 0 s");
  CHECK(format_duration(723'999'999) == "12 min 3 s");
  CHECK(format_duration(12'300'000'000) == "3 h 25 min");
  CHECK(format_duration(UINT64_MAX) == "213,503,982 d 8 h");
}

TEST_CASE("format_delta writes the sign in words of one character") {
  CHECK(format_delta(0) == "0 B");
  CHECK(format_delta(2048) == "+2.00 KiB");
  CHECK(format_delta(-2048) == "-2.00 KiB");
  CHECK(format_delta(INT64_MIN) == "-8.00 EiB");
}

TEST_CASE("numbers are written as the scripts of pictures write them") {
  using Format = std::function<std::string(const nlohmann::json&)>;
  const std::map<std::string, Format> formats{
      {"bytes", [](const nlohmann::json& row) { return format_bytes(row[0].get<std::uint64_t>()); }},
      {"exact_bytes", [](const nlohmann::json& row) { return format_exact_bytes(row[0].get<std::uint64_t>()); }},
      {"durations_us", [](const nlohmann::json& row) { return format_duration(row[0].get<std::uint64_t>()); }},
      {"counts", [](const nlohmann::json& row) { return format_count(row[0].get<std::uint64_t>()); }},
      {"percents",
       [](const nlohmann::json& row) {
         return format_percent(row[0].get<std::uint64_t>(), row[1].get<std::uint64_t>());
       }},
      {"changes",
       [](const nlohmann::json& row) {
         return format_change(row[0].get<std::uint64_t>(), row[1].get<std::uint64_t>(), "before");
       }},
  };
  const auto vectors = nlohmann::json::parse(test::read_bytes(test::testdata_file("number_vectors.json")));
  CHECK(vectors.size() == formats.size());
  for (const auto& [name, format] : formats)
    for (const auto& row : vectors.at(name))
      CHECK(format(row) == row.back().get<std::string>());
}

TEST_CASE("format_percent never rounds something to nothing or a part to the whole") {
  CHECK(format_percent(0, 10) == "0 %");
  CHECK(format_percent(10, 10) == "100 %");
  CHECK(format_percent(1, 8) == "12.5 %");
  CHECK(format_percent(1, 1'000'000) == "< 0.1 %");
  CHECK(format_percent(999'999, 1'000'000) == "> 99.9 %");
  CHECK(format_percent(1, 0) == "-");
}

TEST_CASE("format_count and format_address") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(24'410'849'280) == "24,410,849,280");
  CHECK(format_address(0x7f0000000000) == "0x7f0000000000");
}

} // namespace memviz
