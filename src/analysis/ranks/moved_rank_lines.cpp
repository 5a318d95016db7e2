#include "analysis/ranks/moved_rank_lines.hpp"

#include "analysis/compare/part_lines.hpp"
#include "analysis/ranks/rank_medians.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace memviz {
namespace {

/// The memory of one line or function, by rank.
using BytesByRank = std::map<std::size_t, std::uint64_t>;

/// The memory of each name and kind: that of another kind did not move there.
using NamesAndKinds = std::map<std::pair<std::string, MemoryKind>, BytesByRank>;

/// The lines of one file.
struct FileLines {
  NamesAndKinds by_line;
  NamesAndKinds by_function;
  std::map<std::uint64_t, std::set<std::size_t>> ranks_of; ///< by the number of the line
};

/// Returns the sum of the differences between the ranks that hold most and least of each.
std::uint64_t bytes_that_differ(const NamesAndKinds& lines, std::size_t ranks) {
  std::uint64_t sum = 0;
  for (const auto& [line, bytes] : lines) {
    const auto [least, most] = std::ranges::minmax_element(bytes, {}, &BytesByRank::value_type::second);
    sum = saturating_sum(sum, most->second - (bytes.size() < ranks ? 0 : least->second));
  }
  return sum;
}

/// Whether the ranks have no line of the file in common below the first one that a rank lacks: an edit moves all lines
/// below it, but different stages of one program share some.
bool is_edited(const FileLines& file, std::size_t ranks) {
  const auto first = std::ranges::find_if(file.ranks_of, [&](const auto& line) { return line.second.size() < ranks; });
  return first != file.ranks_of.end() &&
         std::all_of(first, file.ranks_of.end(), [&](const auto& line) { return line.second.size() < ranks; });
}

bool has_moved(const FileLines& file, std::size_t ranks, std::uint64_t least_bytes) {
  if (!is_edited(file, ranks)) return false;
  const std::uint64_t by_line = bytes_that_differ(file.by_line, ranks);
  const std::uint64_t by_function = bytes_that_differ(file.by_function, ranks);
  return by_line > least_bytes && by_function <= by_line / 2;
}

} // namespace

RankLineNames::RankLineNames(const JobReport& report) {
  const std::size_t ranks = report.ranks.size();
  const auto part_of_rank = [&](std::size_t rank) -> const RankPart& { return report.parts[report.ranks[rank].part]; };
  std::uint64_t most_held_bytes = 0;
  std::map<std::string, FileLines, std::less<>> files;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    most_held_bytes = std::max(most_held_bytes, part_of_rank(rank).held_bytes);
    for_each_line(part_of_rank(rank), [&](const LineMemory& held) {
      const auto line = numbered_line(held.line);
      if (!line) return;
      FileLines& file = files[std::string(line->file)];
      const auto add = [&](NamesAndKinds& to, std::string_view name) {
        std::uint64_t& bytes = to[{std::string(name), held.kind}][rank];
        bytes = saturating_sum(bytes, held.bytes);
      };
      add(file.by_line, held.line);
      add(file.by_function, line->function);
      file.ranks_of[line->number].insert(rank);
    });
  }
  for (const auto& [name, lines] : files)
    if (has_moved(lines, ranks, least_difference(most_held_bytes))) moved_.insert(name);
}

std::string RankLineNames::name_of(std::string_view line) const {
  const auto found = numbered_line(line);
  return std::string(found && moved_.contains(found->file) ? found->function : line);
}

} // namespace memviz
