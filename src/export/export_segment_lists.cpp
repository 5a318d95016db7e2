#include "memviz/compare_words.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace memviz {

namespace {

std::string list_line(std::string_view name, const std::vector<SegmentRef>& segments) {
  std::vector<std::uint64_t> addresses;
  for (const SegmentRef& segment : segments)
    addresses.push_back(segment.address);
  return fmt::format("{} = [{}]\n", name, fmt::join(addresses, ", "));
}

/// "only_after = [10, 12, 14, ...]  # 37 segments in all: with --addresses, or in --json FILE"
std::string brief_line(std::string_view name, const std::vector<SegmentRef>& segments) {
  constexpr std::size_t kMost = 3;
  if (segments.size() <= kMost) return list_line(name, segments);
  const std::vector<SegmentRef> first(segments.begin(), segments.begin() + kMost);
  std::string line = list_line(name, first);
  line.resize(line.size() - 2); // "]" and the line's end
  return fmt::format("{}, ...]  # {} in all: with --addresses, or in --json FILE\n", line,
                     format_counted(segments.size(), "segment"));
}

} // namespace

std::string segment_lists(const Comparison& comparison, bool are_whole) {
  const auto line = are_whole ? list_line : brief_line;
  const std::string resized = resized_text(comparison);
  return line("only_before", comparison.only_before) + line("only_after", comparison.only_after) +
         (resized.empty() ? "" : fmt::format("# {}\n", resized));
}

} // namespace memviz
