#include "memviz/export.hpp"

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

} // namespace

std::string segment_lists(const Comparison& comparison) {
  return list_line("only_before", comparison.only_before) + list_line("only_after", comparison.only_after);
}

} // namespace memviz
