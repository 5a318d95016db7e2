#include "export/json_text.hpp"

#include "memviz/log_commands.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

/// Of the character that `text` begins with, where control_length() is its length: all of them are below U+10000.
unsigned code_point_of(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  if (length == 1) return byte(0);
  if (length == 2) return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
  return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
}

/// Outside of strings JSON has none of these characters but line feeds. `commands`: of hash_commands().
std::string with_escapes(std::string_view json, const std::vector<std::size_t>& commands) {
  std::string result;
  result.reserve(json.size());
  auto command = commands.begin();
  for (std::size_t i = 0; i < json.size();) {
    std::size_t escaped = json[i] == '\n' ? 0 : control_length(json.substr(i));
    if (command != commands.end() && *command == i) {
      escaped = 1;
      ++command;
    }
    if (escaped == 0)
      result += json[i++];
    else
      result += fmt::format("\\u{:04x}", code_point_of(json.substr(i), escaped));
    i += escaped;
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
