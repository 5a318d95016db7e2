#include "memviz/rank_names.hpp"

#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <re2/re2.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {
namespace {

/// The coordinates of a file, outermost first.
using Coordinates = std::vector<std::optional<std::uint64_t>>;

/// The coordinates in a name, with their words.
struct Axes {
  std::vector<std::string> words;
  Coordinates values;
};

/// Returns nullopt for more digits than a rank or a step has, as times have.
std::optional<std::uint64_t> coordinate_of(std::string_view digits) {
  constexpr std::size_t kMostDigits = 11;
  const std::size_t begin = std::min(digits.find_first_not_of('0'), digits.size());
  if (digits.empty() || digits.size() - begin > kMostDigits) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : digits.substr(begin))
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  return number;
}

/// dp0_tp3, dp_rank_0-pp_rank_1, node1/rank3. Megatron's mp_rank_03_007 has a second number without a word.
Axes axes_of(std::string_view name) {
  static const RE2 axis(R"((?i)(?:^|[^a-z])([dtpcesm]p|etp|edp|ddp|fsdp|hsdp|vpp|node|host|stage|shard|replica|rank))"
                        R"((?:[-_]?rank)?[-_=]?(\d+))");
  static const RE2 second(R"(_(\d{1,4})(?:\D|$))");
  Axes axes;
  re2::StringPiece rest(name.data(), name.size());
  re2::StringPiece word;
  re2::StringPiece digits;
  while (RE2::FindAndConsume(&rest, axis, &word, &digits)) {
    axes.words.emplace_back(word.data(), word.size());
    axes.values.push_back(coordinate_of({digits.data(), digits.size()}));
    if ((word != "mp" && word != "MP") || !RE2::Consume(&rest, second, &digits)) continue;
    axes.words.emplace_back();
    axes.values.push_back(coordinate_of({digits.data(), digits.size()}));
  }
  return axes;
}

/// Returns for each name the coordinate that alone distinguishes them, else the place of its coordinates among all,
/// from 0 in ascending order. All have equally many.
std::vector<NamedRank> ranks_of_coordinates(const std::vector<Coordinates>& coordinates) {
  const std::set<Coordinates> places(coordinates.begin(), coordinates.end());
  std::vector<NamedRank> ranks;
  for (std::size_t column = coordinates.empty() ? 0 : coordinates.front().size(); column-- > 0;) {
    std::set<std::optional<std::uint64_t>> values;
    for (const Coordinates& place : places)
      values.insert(place[column]);
    if (values.size() != places.size() || values.contains(std::nullopt)) continue;
    for (const Coordinates& own : coordinates)
      ranks.push_back({own[column], RankSource::name});
    return ranks;
  }
  std::vector<Coordinates> ordered(places.begin(), places.end());
  for (const Coordinates& own : coordinates)
    ranks.push_back({static_cast<std::uint64_t>(std::ranges::lower_bound(ordered, own) - ordered.begin()),
                     RankSource::coordinates});
  return ranks;
}

/// Returns the same for names that all have the same words for two or more coordinates; else nullopt.
std::optional<std::vector<NamedRank>> ranks_of_axes(const std::vector<std::string_view>& names) {
  std::vector<std::string> words;
  std::vector<Coordinates> coordinates;
  for (const std::string_view name : names) {
    Axes axes = axes_of(name);
    if (axes.words.size() < 2 || (!coordinates.empty() && axes.words != words)) return std::nullopt;
    words = std::move(axes.words);
    coordinates.push_back(std::move(axes.values));
  }
  return names.empty() ? std::nullopt : std::optional(ranks_of_coordinates(coordinates));
}

using Number = std::optional<std::uint64_t>;

Number first_match(const RE2& expression, std::string_view text) {
  re2::StringPiece one;
  re2::StringPiece other;
  const int groups = expression.NumberOfCapturingGroups();
  const re2::StringPiece input(text.data(), text.size());
  const bool is_match =
      groups == 1 ? RE2::PartialMatch(input, expression, &one) : RE2::PartialMatch(input, expression, &one, &other);
  if (!is_match) return std::nullopt;
  const re2::StringPiece found = one.empty() ? other : one;
  return coordinate_of({found.data(), found.size()});
}

/// local_rank3: the number of the node in the job is unknown.
bool has_local_rank(std::string_view text) {
  static const RE2 local(R"((?i)local[-_.]?rank[-_=.]?(\d+))");
  return first_match(local, text).has_value();
}

/// GLOBAL_RANK_3_LOCAL_RANK_1: whatever else the name has.
Number global_rank(std::string_view text) {
  static const RE2 global(R"((?i)(?:global|world)[-_.]?rank[-_.=]?(\d+))");
  return first_match(global, text);
}

/// rank3, rank_3, TP-3, r3.
Number worded_rank(std::string_view text) {
  static const RE2 rank(R"((?i)(?:^|[^a-z])(?:rank|tp)[-_=]?(\d+)|(?:^|[^a-z0-9])r(\d+)(?:[^0-9a-z]|$))");
  return first_match(rank, text);
}

/// Returns the length of the folders that all paths share.
std::size_t common_folders(const std::vector<std::string>& paths) {
  const auto [least, most] = std::ranges::minmax_element(paths);
  if (paths.size() < 2) return paths.empty() ? 0 : paths.front().size() - file_basename(paths.front()).size();
  const auto differs = std::ranges::mismatch(*least, *most);
  const std::string_view common(least->begin(), differs.in1);
  const std::size_t slash = common.rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

/// Returns the numbers of each path, for paths that have equally many of them; else none.
std::vector<std::vector<Number>> columns_of(const std::vector<std::string_view>& paths) {
  static const RE2 digits_pattern(R"((\d+))");
  std::vector<std::vector<Number>> columns;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    re2::StringPiece rest(paths[i].data(), paths[i].size());
    re2::StringPiece digits;
    std::size_t column = 0;
    for (; RE2::FindAndConsume(&rest, digits_pattern, &digits); ++column) {
      if (i == 0) columns.emplace_back();
      if (column == columns.size()) return {};
      columns[column].push_back(coordinate_of({digits.data(), digits.size()}));
    }
    if (column != columns.size()) return {};
  }
  return columns;
}

/// Returns the number of values in a column that has 0, 1, 2, ... without a gap; else 0.
std::size_t gapless_count(const std::vector<Number>& column) {
  const std::set<Number> values(column.begin(), column.end());
  const bool is_gapless =
      !values.contains(std::nullopt) && *values.begin() == 0U && *values.rbegin() == values.size() - 1;
  return is_gapless ? values.size() : 0;
}

/// Whether every other number that varies either is the same for all files of a rank, as a process id is, or has the
/// same values for every rank, as steps have.
bool is_grid(const std::vector<std::vector<Number>>& columns, std::size_t rank_column) {
  for (const std::vector<Number>& column : columns) {
    std::map<Number, std::set<Number>> by_rank;
    for (std::size_t i = 0; i < column.size(); ++i)
      by_rank[columns[rank_column][i]].insert(column[i]);
    const auto& first = by_rank.begin()->second;
    const bool is_step = std::ranges::all_of(by_rank, [&](const auto& entry) { return entry.second == first; });
    const bool is_of_rank = std::ranges::all_of(by_rank, [](const auto& entry) { return entry.second.size() == 1; });
    if (!is_step && !is_of_rank) return false;
  }
  return true;
}

/// Whether a column has the step of each name.
bool is_of_steps(const std::vector<Number>& column, const std::vector<std::string_view>& paths) {
  return std::ranges::equal(column, paths, {}, {}, [](std::string_view path) { return step_of_name(path); });
}

/// Returns the numbers of the column that varies without gaps from 0, the one with most values; with other such columns
/// that have the same values for each of its numbers, and are no steps, they are coordinates. nullopt if there is none.
std::optional<std::vector<NamedRank>> varying_numbers(const std::vector<std::string_view>& paths) {
  const auto columns = columns_of(paths);
  std::optional<std::size_t> best;
  std::size_t most = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t count = is_of_steps(columns[i], paths) ? 0 : gapless_count(columns[i]);
    if (count <= most || !is_grid(columns, i)) continue;
    most = count;
    best = i;
  }
  if (!best) return std::nullopt;
  std::vector<Coordinates> coordinates(paths.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != *best && (gapless_count(columns[i]) < 2 || is_of_steps(columns[i], paths))) continue;
    for (std::size_t k = 0; k < paths.size(); ++k)
      coordinates[k].push_back(columns[i][k]);
  }
  std::vector<NamedRank> ranks = ranks_of_coordinates(coordinates);
  for (NamedRank& rank : ranks)
    if (rank.source == RankSource::name) rank.source = RankSource::varies;
  return ranks;
}

/// snapshot_3.pickle, where each file has a different number that is not a step.
std::optional<std::vector<NamedRank>> last_numbers(const std::vector<std::string_view>& paths) {
  static const RE2 last(R"((?i)_(\d+)\.(?:pickle|pkl|pt|json)(?:\.gz|\.zst|\.xz|\.bz2)?$)");
  std::vector<NamedRank> ranks;
  std::set<Number> seen;
  for (const std::string_view path : paths) {
    const Number number = step_of_name(file_basename(path)) ? std::nullopt : first_match(last, path);
    if (!number || !seen.insert(number).second) return std::nullopt;
    ranks.push_back({number, RankSource::name});
  }
  return ranks;
}

std::vector<NamedRank> ranks_of_pattern(const std::vector<std::string>& paths, const std::string& pattern) {
  const RE2 expression(pattern, RE2::Quiet);
  if (!expression.ok()) throw UsageError(fmt::format("--rank-pattern '{}': {}", pattern, expression.error()));
  if (expression.NumberOfCapturingGroups() != 1)
    throw UsageError(fmt::format("--rank-pattern '{}' needs one group in parentheses, which is the rank", pattern));
  std::vector<NamedRank> ranks;
  for (const std::string& path : paths) {
    const Number rank = first_match(expression, path);
    ranks.push_back({rank, rank ? RankSource::pattern : RankSource::none});
  }
  return ranks;
}

} // namespace

std::optional<std::uint64_t> step_of_name(std::string_view path) {
  static const RE2 step(R"((?i)(?:step|iteration|iter|epoch)[-_=]?(\d+))");
  return first_match(step, path);
}

std::vector<NamedRank> ranks_of_names(const std::vector<std::string>& paths, const std::string& pattern) {
  if (!pattern.empty()) return ranks_of_pattern(paths, pattern);
  std::vector<NamedRank> ranks(paths.size());
  const std::size_t common = common_folders(paths);
  std::vector<std::size_t> worded;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string_view name = std::string_view(paths[i]).substr(common);
    if (const Number global = global_rank(name)) {
      ranks[i] = {global, RankSource::name};
    } else if (!has_local_rank(name)) {
      Number rank = worded_rank(file_basename(name));
      if (!rank) rank = worded_rank(name);
      ranks[i] = {rank, rank ? RankSource::name : RankSource::none};
      (rank ? worded : others).push_back(i);
    }
  }
  const auto set = [&](const std::vector<std::size_t>& files, const auto&... rules) {
    std::vector<std::string_view> names;
    for (const std::size_t i : files)
      names.push_back(std::string_view(paths[i]).substr(common));
    std::optional<std::vector<NamedRank>> found;
    static_cast<void>(((found = rules(names)).has_value() || ...));
    for (std::size_t i = 0; found && i < files.size(); ++i)
      ranks[files[i]] = (*found)[i];
  };
  set(worded, ranks_of_axes);
  set(others, ranks_of_axes, varying_numbers, last_numbers);
  return ranks;
}

} // namespace memviz
