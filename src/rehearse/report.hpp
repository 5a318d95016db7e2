#pragma once

// Several rehearsals -> text and JSON: a search for the largest number that fits, and a program under other settings.

#include "rehearse/search.hpp"
#include "rehearse/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

struct SearchRun {
  std::uint64_t value = 0;
  FitVerdict verdict;
};

struct SearchReport {
  SearchRange range;
  std::vector<SearchRun> runs = {};          ///< in the order in which they were made
  std::optional<std::uint64_t> largest = {}; ///< that fits; nothing where none does
  bool has_answer = true;                    ///< false: the last run failed for another reason than memory
};

struct Variant {
  std::string setting; ///< "NAME=VALUE"
  FitVerdict verdict;
};

struct VariantsReport {
  FitVerdict usual; ///< the program as it is
  std::vector<Variant> variants = {};
};

[[nodiscard]] std::string search_text(const SearchReport& report, std::size_t columns);
[[nodiscard]] std::string search_json(const SearchReport& report);
[[nodiscard]] std::string variants_text(const VariantsReport& report, std::size_t columns);
[[nodiscard]] std::string variants_json(const VariantsReport& report);

} // namespace memviz::rehearse
