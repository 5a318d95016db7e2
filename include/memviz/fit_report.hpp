#pragma once

// Several rehearsals -> text and JSON: searches for the largest number that fits, a program under other settings,
// ranks of a job, and several GPUs.

#include "memviz/fit.hpp"

#include <cstddef>
#include <string>

namespace memviz::rehearse {

[[nodiscard]] std::string search_text(const SearchReport& report, std::size_t columns);
[[nodiscard]] std::string search_json(const SearchReport& report);
[[nodiscard]] std::string frontier_text(const FrontierReport& report, std::size_t columns);
[[nodiscard]] std::string frontier_json(const FrontierReport& report);
[[nodiscard]] std::string variants_text(const VariantsReport& report, std::size_t columns);
[[nodiscard]] std::string variants_json(const VariantsReport& report);

[[nodiscard]] std::string ranks_text(const RanksReport& report, std::size_t columns);
[[nodiscard]] std::string ranks_json(const RanksReport& report);

[[nodiscard]] std::string gpus_text(const GpusReport& report, std::size_t columns);
[[nodiscard]] std::string gpus_json(const GpusReport& report);

} // namespace memviz::rehearse
