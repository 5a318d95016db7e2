#include "analysis/compare/part_lines.hpp"

#include <charconv>
#include <system_error>

namespace memviz {
std::optional<NumberedLine> numbered_line(std::string_view line) {
  const std::string_view function = function_of_line(line);
  const std::size_t space = function.rfind(' ');
  if (function.size() == line.size() || space == std::string_view::npos) return std::nullopt;
  NumberedLine result{function, function.substr(space + 1)};
  const char* const end = line.data() + line.size();
  const auto parsed = std::from_chars(function.data() + function.size() + 1, end, result.number);
  return parsed.ec == std::errc() ? std::optional(result) : std::nullopt;
}

std::string_view function_of_line(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  const bool has_number = colon != std::string_view::npos && colon + 1 < line.size() &&
                          line.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return has_number ? line.substr(0, colon) : line;
}

} // namespace memviz
