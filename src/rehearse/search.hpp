#pragma once

// A range of whole numbers -> the largest that fits, by bisection: each number is one rehearsal. Where a number fits,
// all smaller ones are taken to fit as well.

#include "memviz/fit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

/// "NAME=LOW..HIGH". Throws UsageError that names --search.
[[nodiscard]] SearchRange parse_search(const std::string& text);

/// "NAME=VALUE" -> both. Throws UsageError that names `option`.
[[nodiscard]] std::pair<std::string, std::string> parse_setting(std::string_view option, const std::string& text);

/// Each `{}` and `{NAME}` in the words replaced by the value.
[[nodiscard]] std::vector<std::string> with_value(const std::vector<std::string>& words, const std::string& name,
                                                  std::uint64_t value);

/// The largest number for which `fits` holds; nothing where that is none. Asks the smallest first, then the largest,
/// then those between them; no number twice.
[[nodiscard]] std::optional<std::uint64_t> largest_that_fits(const SearchRange& range,
                                                             const std::function<bool(std::uint64_t)>& fits);

} // namespace memviz::rehearse
