#include "export/json_text.hpp"

#include "base/characters.hpp"
#include "base/utf8.hpp"
#include "memviz/log_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

std::string escaped(char32_t point) {
  if (point < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(point));
  const auto above = static_cast<unsigned>(point) - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10U), 0xDC00 + (above & 0x3FFU));
}

/// Outside of strings JSON has no unsafe character but line feeds. `commands`: of hash_commands().
std::string with_escapes(std::string_view json, const std::vector<std::size_t>& commands) {
  std::string result;
  result.reserve(json.size());
  auto command = commands.begin();
  for (std::size_t i = 0; i < json.size();) {
    const CodePoint point = first_code_point(json.substr(i));
    const bool is_command = command != commands.end() && *command == i;
    if (is_command) ++command;
    if (is_command || (is_unsafe(point.value) && point.value != '\n'))
      result += escaped(point.value);
    else
      result += json.substr(i, point.bytes);
    i += point.bytes;
  }
  return result;
}

} // namespace

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  std::string json = value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const bool is_plain = std::all_of(json.begin(), json.end(), [](char c) { return c > 0 && c < 0x7F; });
  const std::vector<std::size_t> commands = hash_commands(json);
  return is_plain && commands.empty() ? json : with_escapes(json, commands);
}

} // namespace memviz
