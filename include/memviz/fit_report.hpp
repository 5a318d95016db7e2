#pragma once

// Several rehearsals -> text and JSON: a search for the largest number that fits, a program under other settings,
// and ranks of a job.

#include "memviz/fit.hpp"

#include <cstddef>
#include <string>

namespace memviz::rehearse {

[[nodiscard]] std::string search_text(const SearchReport& report, std::size_t columns);
[[nodiscard]] std::string search_json(const SearchReport& report);
[[nodiscard]] std::string variants_text(const VariantsReport& report, std::size_t columns);
[[nodiscard]] std::string variants_json(const VariantsReport& report);

[[nodiscard]] std::string ranks_text(const RanksReport& report, std::size_t columns);
[[nodiscard]] std::string ranks_json(const RanksReport& report);

} // namespace memviz::rehearse
