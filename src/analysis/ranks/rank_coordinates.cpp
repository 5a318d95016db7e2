#include "analysis/ranks/rank_coordinates.hpp"

#include <algorithm>
#include <cstddef>
#include <re2/re2.h>
#include <set>
#include <string>

namespace memviz {
namespace {

/// The coordinates in a name, with their words.
struct Axes {
  std::vector<std::string> words;
  Coordinates values;
};

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

} // namespace

std::optional<std::uint64_t> coordinate_of(std::string_view digits) {
  constexpr std::size_t kMostDigits = 11;
  const std::size_t begin = std::min(digits.find_first_not_of('0'), digits.size());
  if (digits.empty() || digits.size() - begin > kMostDigits) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : digits.substr(begin))
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  return number;
}

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

} // namespace memviz
