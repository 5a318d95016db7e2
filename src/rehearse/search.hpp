#pragma once

// A range of integers -> the largest that fits, by bisection: each number is one rehearsal. Assumes that if a number
// fits, all smaller ones do.

#include "memviz/fit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

/// Parses "NAME=LOW..HIGH". Throws UsageError that names --search.
[[nodiscard]] SearchRange parse_search(const std::string& text);

/// Parses "NAME=VALUE". Throws UsageError that names `option`.
[[nodiscard]] std::pair<std::string, std::string> parse_setting(std::string_view option, const std::string& text);

/// Returns the words with each `{}` and `{NAME}` replaced by the value.
[[nodiscard]] std::vector<std::string> with_value(const std::vector<std::string>& words, const std::string& name,
                                                  std::uint64_t value);

/// Returns the lowest number of the range, its doubles below the highest, and the highest.
[[nodiscard]] std::vector<std::uint64_t> doublings(const SearchRange& range);

/// Returns the largest number for which `fits` holds; nullopt if there is none. Tries the smallest first, then the
/// largest, then those in between; no number twice.
[[nodiscard]] std::optional<std::uint64_t> largest_that_fits(const SearchRange& range,
                                                             const std::function<bool(std::uint64_t)>& fits);

} // namespace memviz::rehearse
