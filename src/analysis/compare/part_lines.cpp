#include "analysis/compare/part_lines.hpp"

#include "analysis/compare/renamed_script.hpp"

#include <charconv>
#include <map>
#include <set>
#include <system_error>

namespace memviz {
namespace {

using FunctionsByFile = std::map<std::string_view, std::set<std::string_view>>;

FunctionsByFile functions_of(const RankPart& part) {
  FunctionsByFile files;
  for_each_line(part, [&](const LineMemory& held) {
    if (const auto line = numbered_line(held.line))
      files[line->file].insert(line->function.substr(0, line->function.size() - line->file.size()));
  });
  return files;
}

/// Returns the only file that `others` lack; null for none, or several.
const FunctionsByFile::value_type* only_file(const FunctionsByFile& files, const FunctionsByFile& others) {
  const FunctionsByFile::value_type* found = nullptr;
  for (const auto& file : files) {
    if (others.contains(file.first)) continue;
    if (found != nullptr) return nullptr;
    found = &file;
  }
  return found;
}

} // namespace

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

std::optional<RenamedFile> renamed_file(const RankPart& before, const RankPart& after) {
  const FunctionsByFile before_files = functions_of(before);
  const FunctionsByFile after_files = functions_of(after);
  const auto* const gone = only_file(before_files, after_files);
  const auto* const added = only_file(after_files, before_files);
  if (gone == nullptr || added == nullptr || gone->second != added->second) return std::nullopt;
  if (!are_names_alike(gone->first, added->first)) return std::nullopt;
  return RenamedFile{std::string(gone->first), std::string(added->first)};
}

std::string line_before(std::string_view line, const RenamedFile& renamed) {
  const auto found = numbered_line(line);
  if (!found || found->file != renamed.after) return std::string(line);
  const std::size_t at = found->function.size() - found->file.size();
  return std::string(line.substr(0, at)) + renamed.before + std::string(line.substr(found->function.size()));
}

} // namespace memviz
